@group(0) @binding(0) var<storage, read_write> binding_0: array<i32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<i32>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<u32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32, z_v2_base: u32, z_v2_length: u32 }
@group(0) @binding(3) var<uniform> slot: Slot;

fn read_x_v0(base: u32, length: u32, index: i32) -> i32 {
  let at = base + u32(index);
  return select(i32(), binding_0[at], u32(index) < length);
}

fn write_y_v1(base: u32, length: u32, index: i32, value: i32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_1[at] = value;
  }
}

fn div_i32(a: i32, b: i32) -> i32 {
  return select(a / b, i32(), b == i32());
}

fn rem_i32(a: i32, b: i32) -> i32 {
  return select(a % b, i32(), b == i32());
}

fn mul_hi_u32(a: u32, b: u32) -> u32 {
  let p = (a & 0xffffu) * (b & 0xffffu);
  let q = (a >> 16u) * (b & 0xffffu) + (p >> 16u);
  let r = (a & 0xffffu) * (b >> 16u) + (q & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (q >> 16u) + (r >> 16u);
}

fn write_z_v2(base: u32, length: u32, index: i32, value: u32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_2[at] = value;
  }
}

fn div_u32(a: u32, b: u32) -> u32 {
  return select(a / b, u32(), b == u32());
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  let z_v2_base = slot.z_v2_base;
  let z_v2_length = slot.z_v2_length;
  // at integers.loom:3:3
  {
    let i_l0 = i32(lane);
    // at integers.loom:4:15
    let a_l1 = read_x_v0(x_v0_base, x_v0_length, i_l0);
    // at integers.loom:5:17
    let c_l2 = read_x_v0(x_v0_base, x_v0_length, (i_l0 + 8i));
    // at integers.loom:6:5
    write_y_v1(y_v1_base, y_v1_length, i_l0, (((a_l1 * c_l2) + (a_l1 << (u32(c_l2) & 31u))) - (c_l2 >> (u32(a_l1) & 31u))));
    // at integers.loom:7:5
    write_y_v1(y_v1_base, y_v1_length, (i_l0 + 8i), (div_i32(a_l1, (c_l2 & 3i)) + rem_i32(a_l1, (c_l2 & 3i))));
    // at integers.loom:8:5
    write_y_v1(y_v1_base, y_v1_length, (i_l0 + 16i), (((a_l1 / 7i) + (min(a_l1, c_l2) * max(a_l1, (-5i)))) + abs(a_l1)));
    // at integers.loom:9:5
    write_z_v2(z_v2_base, z_v2_length, i_l0, ((mul_hi_u32(u32(a_l1), u32(c_l2)) ^ countLeadingZeros(u32(a_l1))) ^ (countOneBits(u32(c_l2)) << 7u)));
    // at integers.loom:10:5
    write_z_v2(z_v2_base, z_v2_length, (i_l0 + 8i), (div_u32(u32(a_l1), (u32(c_l2) & 3u)) + (u32(c_l2) % 10u)));
  }
}
