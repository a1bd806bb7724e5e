@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<u32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32, z_v2_base: u32, z_v2_length: u32 }
@group(0) @binding(3) var<uniform> slot: Slot;

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

fn min_f32(a: f32, b: f32) -> f32 {
  return select(a, b, b < a);
}

fn max_f32(a: f32, b: f32) -> f32 {
  return select(a, b, b > a);
}

fn to_i32_i32(x: f32) -> i32 {
  let low = select(i32(x), i32(-2147483648), x < -2147483648f);
  let whole = select(low, 2147483647i, x >= 2147483648f);
  return select(whole, i32(), (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);
}

fn to_u32_u32(x: f32) -> u32 {
  let low = select(u32(x), 0u, x < 0f);
  let whole = select(low, 4294967295u, x >= 4294967296f);
  return select(whole, u32(), (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);
}

fn write_z_v2(base: u32, length: u32, index: i32, value: u32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_2[at] = value;
  }
}

fn is_nan_f32(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  let z_v2_base = slot.z_v2_base;
  let z_v2_length = slot.z_v2_length;
  // at floats.loom:3:3
  {
    let i_l0 = i32(lane);
    // at floats.loom:4:15
    let a_l1 = read_x_v0(x_v0_base, x_v0_length, i_l0);
    // at floats.loom:5:17
    let c_l2 = read_x_v0(x_v0_base, x_v0_length, (i_l0 + 8i));
    // at floats.loom:6:5
    write_y_v1(y_v1_base, y_v1_length, i_l0, ((a_l1 / c_l2) + sqrt(abs(c_l2))));
    // at floats.loom:7:5
    write_y_v1(y_v1_base, y_v1_length, (i_l0 + 8i), (((round((a_l1 * 0.5f)) + floor(c_l2)) - ceil(a_l1)) + trunc(c_l2)));
    // at floats.loom:8:5
    write_y_v1(y_v1_base, y_v1_length, (i_l0 + 16i), ((min_f32(a_l1, c_l2) + max_f32(a_l1, 0.5f)) + (a_l1 * c_l2 + 1f)));
    // at floats.loom:9:5
    write_y_v1(y_v1_base, y_v1_length, (i_l0 + 24i), (select(c_l2, a_l1, (a_l1 > c_l2)) + bitcast<f32>((bitcast<u32>(c_l2) & 4286578688u))));
    // at floats.loom:10:5
    write_z_v2(z_v2_base, z_v2_length, i_l0, (u32(to_i32_i32((a_l1 * 1000000000f))) + to_u32_u32((a_l1 * 100000000f))));
    // at floats.loom:11:5
    write_z_v2(z_v2_base, z_v2_length, (i_l0 + 8i), select(2u, 1u, (is_nan_f32(a_l1) || (a_l1 != c_l2))));
  }
}
