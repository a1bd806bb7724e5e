@group(0) @binding(0) var<storage, read_write> binding_0: array<u32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<u32>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> binding_3: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> binding_4: array<u32>;
struct Slot { h_v0_base: u32, h_v0_length: u32, g_v1_base: u32, g_v1_length: u32, p_v2_base: u32, p_v2_length: u32, y_v3_base: u32, y_v3_length: u32, z_v4_base: u32, z_v4_length: u32, w_v5_base: u32, w_v5_length: u32 }
@group(0) @binding(5) var<uniform> slot: Slot;

fn read_h_v0(base: u32, length: u32, index: i32) -> vec4<f32> {
  let at = base + u32(index) * 2u;
  return select(vec4<f32>(), vec4<f32>(unpack2x16float(binding_0[at]), unpack2x16float(binding_0[at + 1u])), u32(index) < length);
}

fn read_g_v1(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), unpack2x16float(binding_0[at >> 1u])[at & 1u], u32(index) < length);
}

fn read_p_v2(base: u32, length: u32, index: i32) -> vec2<f32> {
  let at = base + u32(index);
  return select(vec2<f32>(), bitcast<vec2<f32>>(vec2<u32>(binding_1[at] << 16u, binding_1[at] & 0xffff0000u)), u32(index) < length);
}

fn write_y_v3(base: u32, length: u32, index: i32, value: vec4<f32>) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_2[at] = value;
  }
}

fn round_f16_f32(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let magnitude = bits & 0x7fffffffu;
  let rebiased = magnitude - 0x38000000u;
  var half = (rebiased + 0xfffu + ((rebiased >> 13u) & 1u)) >> 13u;
  if (magnitude < 0x38800000u) { half = u32(round(abs(x) * 16777216f)); }
  if (magnitude >= 0x477ff000u) { half = select(0x7c00u, 0x7e00u, magnitude > 0x7f800000u); }
  return half | ((bits >> 16u) & 0x8000u);
}

fn write_z_v4(base: u32, length: u32, index: i32, value: vec4<f32>) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_3[at] = vec2<u32>(round_f16_f32(value.x) | (round_f16_f32(value.y) << 16u), round_f16_f32(value.z) | (round_f16_f32(value.w) << 16u));
  }
}

fn round_bf16_f32(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
  return select(rounded, (bits >> 16u) | 0x40u, (bits & 0x7fffffffu) > 0x7f800000u);
}

fn write_w_v5(base: u32, length: u32, index: i32, value: vec2<f32>) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_4[at] = round_bf16_f32(value.x) | (round_bf16_f32(value.y) << 16u);
  }
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let h_v0_base = slot.h_v0_base;
  let h_v0_length = slot.h_v0_length;
  let g_v1_base = slot.g_v1_base;
  let g_v1_length = slot.g_v1_length;
  let p_v2_base = slot.p_v2_base;
  let p_v2_length = slot.p_v2_length;
  let y_v3_base = slot.y_v3_base;
  let y_v3_length = slot.y_v3_length;
  let z_v4_base = slot.z_v4_base;
  let z_v4_length = slot.z_v4_length;
  let w_v5_base = slot.w_v5_base;
  let w_v5_length = slot.w_v5_length;
  // at halves.loom:3:3
  {
    let i_l0 = i32(lane);
    // at halves.loom:4:18
    let v_l1 = (read_h_v0(h_v0_base, h_v0_length, i_l0) * vec4<f32>(0.125f, 0.125f, 0.125f, 0.125f));
    // at halves.loom:5:5
    write_y_v3(y_v3_base, y_v3_length, i_l0, ((v_l1 + vec4<f32>(read_g_v1(g_v1_base, g_v1_length, (i_l0 + 1i)))) + vec4<f32>(read_p_v2(p_v2_base, p_v2_length, i_l0).x, read_p_v2(p_v2_base, p_v2_length, i_l0).y, 0f, 1f)));
    // at halves.loom:6:5
    write_z_v4(z_v4_base, z_v4_length, i_l0, v_l1);
    // at halves.loom:7:5
    write_w_v5(w_v5_base, w_v5_length, i_l0, vec2<f32>((v_l1.x * 3f), v_l1.y));
  }
}
