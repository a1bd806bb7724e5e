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

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  // at exact-region.loom:3:3
  {
    let i_l0 = i32(lane);
    // at exact-region.loom:3:25
    write_y_v1(y_v1_base, y_v1_length, ((i32(group.x) * 16i) + i_l0), (read_x_v0(x_v0_base, x_v0_length, ((i32(group.x) * 16i) + i_l0)) * 2f));
  }
}
