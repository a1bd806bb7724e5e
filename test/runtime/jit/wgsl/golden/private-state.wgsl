@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32 }
@group(0) @binding(2) var<uniform> slot: Slot;

fn read_x_v0(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at], u32(index) < length);
}

fn max_f32(a: f32, b: f32) -> f32 {
  return select(a, b, b > a);
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
  var acc_p0_0: f32;
  var acc_p0_1: f32;
  // at private-state.loom:4:3
  for (var r_l0 = 0i; r_l0 < 4i; r_l0 += 1i) {
    // at private-state.loom:4:19
    {
      let i_l1 = i32(lane);
      // at private-state.loom:4:40
      acc_p0_0 = (acc_p0_0 + read_x_v0(x_v0_base, x_v0_length, ((r_l0 * 8i) + i_l1)));
      // at private-state.loom:4:72
      acc_p0_1 = max_f32(acc_p0_1, read_x_v0(x_v0_base, x_v0_length, ((r_l0 * 8i) + i_l1)));
    }
  }
  // at private-state.loom:5:3
  {
    let i_l2 = i32(lane);
    // at private-state.loom:5:24
    write_y_v1(y_v1_base, y_v1_length, i_l2, acc_p0_0);
    // at private-state.loom:5:39
    write_y_v1(y_v1_base, y_v1_length, (8i + i_l2), acc_p0_1);
  }
}
