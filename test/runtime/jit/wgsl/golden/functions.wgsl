@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32 }
@group(0) @binding(2) var<uniform> slot: Slot;

fn read_x_v0(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at], u32(index) < length);
}

fn write_y_v1(base: u32, length: u32, index: i32, value: f32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_1[at] = value;
  }
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  var first_l1: f32;
  var sign_l3: f32;
  var first_l5: f32;
  // at functions.loom:11:3
  {
    let i_l0 = i32(lane);
    // at functions.loom:11:31
    var leave0 = false;
    switch (0) {
      default: {
        // at functions.loom:3:3
        let t1 = (i_l0 + 8i);
        for (var i_l2 = i_l0; i_l2 < t1; i_l2 += 1i) {
          // at functions.loom:3:29
          if ((read_x_v0(x_v0_base, x_v0_length, i_l2) > 20f)) {
            // at functions.loom:3:47
            first_l1 = read_x_v0(x_v0_base, x_v0_length, i_l2);
            leave0 = true;
            break;
          }
        }
        if (leave0) { break; }
        // at functions.loom:4:3
        first_l1 = 20f;
        break;
      }
    }
    // at functions.loom:11:58
    let v_l4 = read_x_v0(x_v0_base, x_v0_length, i_l0);
    // at functions.loom:11:51
    switch (0) {
      default: {
        // at functions.loom:7:3
        if ((v_l4 < 0f)) {
          // at functions.loom:7:16
          sign_l3 = (-1f);
          break;
        }
        // at functions.loom:8:3
        sign_l3 = 1f;
        break;
      }
    }
    // at functions.loom:11:24
    write_y_v1(y_v1_base, y_v1_length, i_l0, (first_l1 * sign_l3));
    // at functions.loom:12:5
    var t8 = (read_x_v0(x_v0_base, x_v0_length, i_l0) > 0f);
    if (t8) {
      // at functions.loom:12:33
      let from_l6 = (i_l0 + 8i);
      // at functions.loom:12:22
      var leave4 = false;
      switch (0) {
        default: {
          // at functions.loom:3:3
          let t5 = (from_l6 + 8i);
          for (var i_l7 = from_l6; i_l7 < t5; i_l7 += 1i) {
            // at functions.loom:3:29
            if ((read_x_v0(x_v0_base, x_v0_length, i_l7) > 5f)) {
              // at functions.loom:3:47
              first_l5 = read_x_v0(x_v0_base, x_v0_length, i_l7);
              leave4 = true;
              break;
            }
          }
          if (leave4) { break; }
          // at functions.loom:4:3
          first_l5 = 5f;
          break;
        }
      }
      let t7 = (first_l5 > 9f);
      t8 = t7;
    }
    if (t8) {
      // at functions.loom:12:51
      write_y_v1(y_v1_base, y_v1_length, (i_l0 + 8i), 1f);
    }
  }
}
