requires packed_4x8_integer_dot_product;
enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read_write> binding_0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<vec4<f32>>;
struct Slot { x_v0_base: u32, x_v0_length: u32, q_v1_base: u32, q_v1_length: u32, w_v2_base: u32, w_v2_length: u32, y_v3_base: u32, y_v3_length: u32, rows_l0: i32 }
@group(0) @binding(3) var<uniform> slot: Slot;

fn read_q_v1_word(base: u32, length: u32, index: i32, word: u32) -> u32 {
  let at = base + u32(index);
  return select(u32(), binding_1[at][word], u32(index) < length);
}

fn read_w_v2(base: u32, length: u32, index: i32) -> vec4<u32> {
  let at = base + u32(index);
  return select(vec4<u32>(), binding_1[at], u32(index) < length);
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

fn read_x_v0_word(base: u32, length: u32, index: i32, word: u32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at][word], u32(index) < length);
}

fn write_y_v3(base: u32, length: u32, index: i32, value: vec4<f32>) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_2[at] = value;
  }
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(subgroup_invocation_id) sub_lane: u32) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let q_v1_base = slot.q_v1_base;
  let q_v1_length = slot.q_v1_length;
  let w_v2_base = slot.w_v2_base;
  let w_v2_length = slot.w_v2_length;
  let y_v3_base = slot.y_v3_base;
  let y_v3_length = slot.y_v3_length;
  let rows_l0 = slot.rows_l0;
  var acc_l3: vec4<i32>;
  // at broadcast-words.loom:3:27
  let first_l1 = (i32(group.x) * 2i);
  // at broadcast-words.loom:4:3
  {
    let lane_l2 = i32(lane);
    // at broadcast-words.loom:5:5
    acc_l3 = vec4<i32>(0i, 0i, 0i, 0i);
    // at broadcast-words.loom:6:5
    let t0 = rows_l0;
    for (var k_l4 = 0i; k_l4 < t0; k_l4 += 1i) {
      // at broadcast-words.loom:6:32
      let t2 = (first_l1 + k_l4);
      let t3 = 1i;
      let t4 = read_q_v1_word(q_v1_base, q_v1_length, t2, sub_lane & 3u);
      let take0_l5 = vec4<u32>(subgroupBroadcast(t4, 0u), subgroupBroadcast(t4, 1u), subgroupBroadcast(t4, 2u), subgroupBroadcast(t4, 3u));
      // at broadcast-words.loom:7:7
      acc_l3 = dot8_i32x4(read_w_v2(w_v2_base, w_v2_length, lane_l2), take0_l5, acc_l3);
    }
    // at broadcast-words.loom:8:15
    let t5 = first_l1;
    let t6 = 5i;
    let t7 = read_x_v0_word(x_v0_base, x_v0_length, t5 + i32((sub_lane & 7u) >> 2u) * t6, sub_lane & 3u);
    let take0_l6 = vec4<f32>(subgroupBroadcast(t7, 0u), subgroupBroadcast(t7, 1u), subgroupBroadcast(t7, 2u), subgroupBroadcast(t7, 3u));
    let take1_l7 = vec4<f32>(subgroupBroadcast(t7, 4u), subgroupBroadcast(t7, 5u), subgroupBroadcast(t7, 6u), subgroupBroadcast(t7, 7u));
    // at broadcast-words.loom:9:15
    let t8 = (first_l1 + 15i);
    let t9 = 1i;
    let t10 = read_x_v0_word(x_v0_base, x_v0_length, t8, sub_lane & 3u);
    let take0_l8 = vec4<f32>(subgroupBroadcast(t10, 0u), subgroupBroadcast(t10, 1u), subgroupBroadcast(t10, 2u), subgroupBroadcast(t10, 3u));
    // at broadcast-words.loom:10:5
    write_y_v3(y_v3_base, y_v3_length, ((i32(group.x) * 8i) + lane_l2), (((vec4<f32>(acc_l3) * take0_l6) + take1_l7) - take0_l8));
  }
}
