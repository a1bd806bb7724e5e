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
  var acc0_l1: f32;
  var acc1_l2: f32;
  var acc2_l3: f32;
  // at register-arrays.loom:3:3
  {
    let lane_l0 = i32(lane);
    // at register-arrays.loom:4:5
    acc0_l1 = 0f;
    acc1_l2 = 0f;
    acc2_l3 = 0f;
    // at register-arrays.loom:5:5
    for (var k_l4 = 0i; k_l4 < 5i; k_l4 += 1i) {
      // at register-arrays.loom:5:44
      acc0_l1 = (acc0_l1 + read_x_v0(x_v0_base, x_v0_length, ((lane_l0 + (k_l4 * 3i)) + 0i)));
      acc1_l2 = (acc1_l2 + read_x_v0(x_v0_base, x_v0_length, ((lane_l0 + (k_l4 * 3i)) + 1i)));
      acc2_l3 = (acc2_l3 + read_x_v0(x_v0_base, x_v0_length, ((lane_l0 + (k_l4 * 3i)) + 2i)));
    }
    // at register-arrays.loom:6:28
    write_y_v1(y_v1_base, y_v1_length, ((lane_l0 * 3i) + 0i), acc0_l1);
    write_y_v1(y_v1_base, y_v1_length, ((lane_l0 * 3i) + 1i), acc1_l2);
    write_y_v1(y_v1_base, y_v1_length, ((lane_l0 * 3i) + 2i), acc2_l3);
  }
}
