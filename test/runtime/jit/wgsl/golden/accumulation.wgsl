@group(0) @binding(0) var<storage, read_write> binding_0: array<i32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<i32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, h_v1_base: u32, h_v1_length: u32, y_v2_base: u32, y_v2_length: u32 }
@group(0) @binding(3) var<uniform> slot: Slot;
var<workgroup> s_s0: array<atomic<i32>, 4>;

fn read_x_v0(base: u32, length: u32, index: i32) -> i32 {
  let at = base + u32(index);
  return select(i32(), binding_0[at], u32(index) < length);
}

fn add_h_v1(base: u32, length: u32, index: i32, value: u32) {
  if (u32(index) < length) {
    atomicAdd(&binding_1[base + u32(index)], value);
  }
}

fn max_s_s0(index: i32, value: i32) {
  if (u32(index) < 4u) { atomicMax(&s_s0[u32(index)], value); }
}

fn write_y_v2(base: u32, length: u32, index: i32, value: i32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_2[at] = value;
  }
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let h_v1_base = slot.h_v1_base;
  let h_v1_length = slot.h_v1_length;
  let y_v2_base = slot.y_v2_base;
  let y_v2_length = slot.y_v2_length;
  // at accumulation.loom:4:3
  for (var t0 = lane; t0 < 32u; t0 += 8u) {
    let i_l0 = 0i + i32(t0);
    // at accumulation.loom:4:25
    add_h_v1(h_v1_base, h_v1_length, (read_x_v0(x_v0_base, x_v0_length, i_l0) & 7i), u32(i_l0));
    // at accumulation.loom:4:50
    max_s_s0((read_x_v0(x_v0_base, x_v0_length, i_l0) & 3i), i_l0);
  }
  // at accumulation.loom:5:3
  workgroupBarrier();
  if (lane < 4u) {
    let i_l1 = 0i + i32(lane);
    // at accumulation.loom:5:24
    write_y_v2(y_v2_base, y_v2_length, i_l1, atomicLoad(&s_s0[i_l1]));
  }
}
