requires packed_4x8_integer_dot_product;
@group(0) @binding(0) var<storage, read_write> binding_0: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<i32>;
struct Slot { p_v0_base: u32, p_v0_length: u32, y_v1_base: u32, y_v1_length: u32, z_v2_base: u32, z_v2_length: u32 }
@group(0) @binding(3) var<uniform> slot: Slot;

fn read_p_v0(base: u32, length: u32, index: i32) -> vec4<u32> {
  let at = base + u32(index);
  return select(vec4<u32>(), binding_0[at], u32(index) < length);
}

fn dot8_total_i32x4(a: vec4<u32>, b: vec4<u32>, acc: vec4<i32>) -> vec4<i32> {
  return acc + vec4<i32>(
    dot4I8Packed(a.x, b.x), dot4I8Packed(a.y, b.y),
    dot4I8Packed(a.z, b.z), dot4I8Packed(a.w, b.w));
}

fn write_z_v2(base: u32, length: u32, index: i32, value: i32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_2[at] = value;
  }
}

fn dot8_i32x4(a: vec4<u32>, b: vec4<u32>, acc: vec4<i32>) -> vec4<i32> {
  let a_low = (a.xy & vec2<u32>(0xffffu)) | (a.zw << vec2<u32>(16u));
  let b_low = (b.xy & vec2<u32>(0xffffu)) | (b.zw << vec2<u32>(16u));
  let a_high = (a.xy >> vec2<u32>(16u)) | (a.zw & vec2<u32>(0xffff0000u));
  let b_high = (b.xy >> vec2<u32>(16u)) | (b.zw & vec2<u32>(0xffff0000u));
  return acc + vec4<i32>(
    dot4I8Packed(a_low.x, b_low.x), dot4I8Packed(a_high.x, b_high.x),
    dot4I8Packed(a_low.y, b_low.y), dot4I8Packed(a_high.y, b_high.y));
}

fn write_y_v1(base: u32, length: u32, index: i32, value: vec4<i32>) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_1[at] = value;
  }
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let p_v0_base = slot.p_v0_base;
  let p_v0_length = slot.p_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  let z_v2_base = slot.z_v2_base;
  let z_v2_length = slot.z_v2_length;
  var total_l1: vec4<i32>;
  // at byte-dots.loom:3:3
  {
    let i_l0 = i32(lane);
    // at byte-dots.loom:4:5
    total_l1 = vec4<i32>(0i, 0i, 0i, 0i);
    // at byte-dots.loom:5:5
    for (var k_l2 = 0i; k_l2 < 3i; k_l2 += 1i) {
      // at byte-dots.loom:5:21
      total_l1 = dot8_total_i32x4(read_p_v0(p_v0_base, p_v0_length, (i_l0 + k_l2)), read_p_v0(p_v0_base, p_v0_length, (i_l0 + 8i)), total_l1);
    }
    // at byte-dots.loom:6:5
    let t1 = total_l1;
    write_z_v2(z_v2_base, z_v2_length, i_l0, ((t1.x + t1.z) + (t1.y + t1.w)));
    // at byte-dots.loom:7:5
    write_y_v1(y_v1_base, y_v1_length, i_l0, (dot8_i32x4(read_p_v0(p_v0_base, p_v0_length, i_l0), read_p_v0(p_v0_base, p_v0_length, (i_l0 + 5i)), vec4<i32>(1i, 2i, 3i, 4i)) ^ vec4<i32>(bitcast<vec4<u32>>(read_p_v0(p_v0_base, p_v0_length, (i_l0 + 1i))))));
  }
}
