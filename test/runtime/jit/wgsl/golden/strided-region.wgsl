@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32, n_l0: i32 }
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
  let n_l0 = slot.n_l0;
  // at strided-region.loom:3:3
  let t1 = 3i;
  let t2 = n_l0;
  let t3 = select(0u, u32(t2) - u32(t1), t2 > t1);
  for (var t0 = lane; t0 < t3; t0 += 8u) {
    let i_l1 = 3i + i32(t0);
    // at strided-region.loom:3:24
    write_y_v1(y_v1_base, y_v1_length, i_l1, (read_x_v0(x_v0_base, x_v0_length, i_l1) + f32(i_l1)));
  }
  // at strided-region.loom:4:3
  storageBarrier();
  if (lane < 1u) {
    let lane_l2 = 0i + i32(lane);
    // at strided-region.loom:4:10
    write_y_v1(y_v1_base, y_v1_length, 0i, 7f);
  }
}
