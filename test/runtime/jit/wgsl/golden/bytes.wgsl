@group(0) @binding(0) var<storage, read_write> binding_0: array<u32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<u32>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<u32>;
@group(0) @binding(3) var<storage, read_write> binding_3: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read_write> binding_4: array<u32>;
@group(0) @binding(5) var<storage, read_write> binding_5: array<u32>;
struct Slot { p_v0_base: u32, p_v0_length: u32, u_v1_base: u32, u_v1_length: u32, s_v2_base: u32, s_v2_length: u32, y_v3_base: u32, y_v3_length: u32, z_v4_base: u32, z_v4_length: u32, w_v5_base: u32, w_v5_length: u32 }
@group(0) @binding(6) var<uniform> slot: Slot;

fn read_p_v0(base: u32, length: u32, index: i32) -> u32 {
  let at = base + u32(index);
  return select(u32(), binding_0[at], u32(index) < length);
}

fn unpack_i8_u32(bytes: u32) -> vec4<i32> {
  return (vec4<i32>(i32(bytes)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u);
}

fn read_u_v1(base: u32, length: u32, index: i32) -> u32 {
  let at = base + u32(index);
  return select(u32(), ((binding_1[at >> 2u] >> ((at & 3u) * 8u)) & 255u), u32(index) < length);
}

fn read_s_v2(base: u32, length: u32, index: i32) -> i32 {
  let at = base + u32(index);
  return select(i32(), ((i32(binding_2[at >> 2u]) << (24u - ((at & 3u) * 8u))) >> 24u), u32(index) < length);
}

fn write_y_v3(base: u32, length: u32, index: i32, value: vec4<i32>) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_3[at] = value;
  }
}

fn to_i32_i32x4(x: vec4<f32>) -> vec4<i32> {
  let low = select(vec4<i32>(x), vec4<i32>(i32(-2147483648)), x < vec4<f32>(-2147483648f));
  let whole = select(low, vec4<i32>(2147483647i), x >= vec4<f32>(2147483648f));
  return select(whole, vec4<i32>(), (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}

fn pack_bytes_u32(v: vec4<i32>) -> u32 {
  let b = (vec4<u32>(v) & vec4<u32>(255u)) << vec4<u32>(0u, 8u, 16u, 24u);
  return b.x | b.y | b.z | b.w;
}

fn write_z_v4(base: u32, length: u32, index: i32, value: u32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_4[at] = value;
  }
}

fn write_w_v5(base: u32, length: u32, index: i32, value: u32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_5[at] = value;
  }
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let p_v0_base = slot.p_v0_base;
  let p_v0_length = slot.p_v0_length;
  let u_v1_base = slot.u_v1_base;
  let u_v1_length = slot.u_v1_length;
  let s_v2_base = slot.s_v2_base;
  let s_v2_length = slot.s_v2_length;
  let y_v3_base = slot.y_v3_base;
  let y_v3_length = slot.y_v3_length;
  let z_v4_base = slot.z_v4_base;
  let z_v4_length = slot.z_v4_length;
  let w_v5_base = slot.w_v5_base;
  let w_v5_length = slot.w_v5_length;
  // at bytes.loom:3:3
  {
    let i_l0 = i32(lane);
    // at bytes.loom:4:5
    write_y_v3(y_v3_base, y_v3_length, i_l0, (unpack_i8_u32(read_p_v0(p_v0_base, p_v0_length, i_l0)) + vec4<i32>(i32(read_u_v1(u_v1_base, u_v1_length, (i_l0 + 1i))), read_s_v2(s_v2_base, s_v2_length, i_l0), 0i, 1i)));
    // at bytes.loom:5:5
    write_z_v4(z_v4_base, z_v4_length, i_l0, pack_bytes_u32(clamp(to_i32_i32x4((vec4<f32>(unpack_i8_u32(read_p_v0(p_v0_base, p_v0_length, i_l0))) * vec4<f32>(1.7000000476837158f, 1.7000000476837158f, 1.7000000476837158f, 1.7000000476837158f))), vec4<i32>(-128), vec4<i32>(127))));
    // at bytes.loom:6:5
    write_w_v5(w_v5_base, w_v5_length, i_l0, pack_bytes_u32(clamp((unpack_i8_u32(read_p_v0(p_v0_base, p_v0_length, (i_l0 + 4i))) * vec4<i32>(3i, 3i, 3i, 3i)), vec4<i32>(0), vec4<i32>(255))));
  }
}
