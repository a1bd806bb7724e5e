@group(0) @binding(0) var<storage, read_write> binding_0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32, z_v2_base: u32, z_v2_length: u32 }
@group(0) @binding(3) var<uniform> slot: Slot;

fn read_x_v0(base: u32, length: u32, index: i32) -> vec4<f32> {
  let at = base + u32(index);
  return select(vec4<f32>(), binding_0[at], u32(index) < length);
}

fn write_y_v1(base: u32, length: u32, index: i32, value: vec4<f32>) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_1[at] = value;
  }
}

fn min_f32x4(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  return select(a, b, b < a);
}

fn to_i32_i32x4(x: vec4<f32>) -> vec4<i32> {
  let low = select(vec4<i32>(x), vec4<i32>(i32(-2147483648)), x < vec4<f32>(-2147483648f));
  let whole = select(low, vec4<i32>(2147483647i), x >= vec4<f32>(2147483648f));
  return select(whole, vec4<i32>(), (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}

fn max_f32(a: f32, b: f32) -> f32 {
  return select(a, b, b > a);
}

fn min_f32(a: f32, b: f32) -> f32 {
  return select(a, b, b < a);
}

fn component_f32x4(v: vec4<f32>, index: i32) -> f32 {
  return select(f32(), v[u32(index) & 3u], u32(index) < 4u);
}

fn write_z_v2(base: u32, length: u32, index: i32, value: f32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_2[at] = value;
  }
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  let z_v2_base = slot.z_v2_base;
  let z_v2_length = slot.z_v2_length;
  // at vectors.loom:3:3
  {
    let i_l0 = i32(lane);
    // at vectors.loom:4:15
    let a_l1 = read_x_v0(x_v0_base, x_v0_length, i_l0);
    // at vectors.loom:5:17
    let c_l2 = read_x_v0(x_v0_base, x_v0_length, (i_l0 + 4i));
    // at vectors.loom:6:5
    write_y_v1(y_v1_base, y_v1_length, i_l0, (((a_l1 * c_l2) + vec4<f32>(2f, 2f, 2f, 2f)) - vec4<f32>(a_l1.w, c_l2.z, a_l1.y, c_l2.x)));
    // at vectors.loom:7:5
    write_y_v1(y_v1_base, y_v1_length, (i_l0 + 4i), (min_f32x4(a_l1, c_l2) + vec4<f32>(to_i32_i32x4(c_l2))));
    // at vectors.loom:8:5
    let t0 = (a_l1 * c_l2);
    let t1 = a_l1;
    let t2 = a_l1;
    let t3 = c_l2;
    write_z_v2(z_v2_base, z_v2_length, i_l0, ((((((t0.x + t0.z) + (t0.y + t0.w)) + ((t1.x + t1.z) + (t1.y + t1.w))) + max_f32(max_f32(t2.x, t2.z), max_f32(t2.y, t2.w))) - min_f32(min_f32(t3.x, t3.z), min_f32(t3.y, t3.w))) + component_f32x4(a_l1, i_l0)));
  }
}
