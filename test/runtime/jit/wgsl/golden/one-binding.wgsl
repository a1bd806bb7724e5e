@group(0) @binding(0) var<storage, read_write> binding_0: array<i32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<i32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32 }
@group(0) @binding(2) var<uniform> slot: Slot;

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

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  // at one-binding.loom:3:3
  for (var t0 = lane; t0 < 32u; t0 += 8u) {
    let i_l0 = 0i + i32(t0);
    // at one-binding.loom:3:25
    write_y_v1(y_v1_base, y_v1_length, i_l0, (read_x_v0(x_v0_base, x_v0_length, i_l0) | 1073741824i));
  }
}

@group(0) @binding(0) var<storage, read_write> binding_0: array<u32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, u_v1_base: u32, u_v1_length: u32, y_v2_base: u32, y_v2_length: u32, v_v3_base: u32, v_v3_length: u32 }
@group(0) @binding(1) var<uniform> slot: Slot;

fn read_x_v0(base: u32, length: u32, index: i32) -> vec4<f32> {
  let at = base + u32(index) * 4u;
  return select(vec4<f32>(), bitcast<vec4<f32>>(vec4<u32>(binding_0[at], binding_0[at + 1u], binding_0[at + 2u], binding_0[at + 3u])), u32(index) < length);
}

fn write_y_v2(base: u32, length: u32, index: i32, value: f32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_0[at] = bitcast<u32>(value);
  }
}

fn read_u_v1(base: u32, length: u32, index: i32) -> i32 {
  let at = base + u32(index);
  return select(i32(), bitcast<i32>(binding_0[at]), u32(index) < length);
}

fn write_v_v3(base: u32, length: u32, index: i32, value: vec2<i32>) {
  if (u32(index) < length) {
    let at = base + u32(index) * 2u;
    binding_0[at] = bitcast<u32>((value).x);
    binding_0[at + 1u] = bitcast<u32>((value).y);
  }
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let u_v1_base = slot.u_v1_base;
  let u_v1_length = slot.u_v1_length;
  let y_v2_base = slot.y_v2_base;
  let y_v2_length = slot.y_v2_length;
  let v_v3_base = slot.v_v3_base;
  let v_v3_length = slot.v_v3_length;
  // at one-binding.loom:5:3
  {
    let i_l0 = i32(lane);
    // at one-binding.loom:6:5
    write_y_v2(y_v2_base, y_v2_length, i_l0, (read_x_v0(x_v0_base, x_v0_length, (i_l0 / 4i)).w + read_x_v0(x_v0_base, x_v0_length, (i_l0 % 4i)).x));
    // at one-binding.loom:7:5
    write_v_v3(v_v3_base, v_v3_length, i_l0, vec2<i32>(read_u_v1(u_v1_base, u_v1_length, i_l0), i_l0));
  }
}
