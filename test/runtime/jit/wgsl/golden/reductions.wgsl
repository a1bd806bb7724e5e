@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32 }
@group(0) @binding(2) var<uniform> slot: Slot;
var<workgroup> s_s0: array<f32, 21>;
var<workgroup> v_s1: array<vec4<f32>, 8>;
var<workgroup> reduction_f32: array<f32, 16>;
var<workgroup> reduction_f32x4: array<vec4<f32>, 4>;

fn read_x_v0(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at], u32(index) < length);
}

fn read_x_v0_4(base: u32, length: u32, index: i32) -> vec4<f32> {
  return vec4<f32>(read_x_v0(base, length, index + 0i), read_x_v0(base, length, index + 1i), read_x_v0(base, length, index + 2i), read_x_v0(base, length, index + 3i));
}

fn read_s_s0(index: i32) -> f32 {
  return select(f32(), s_s0[u32(index)], u32(index) < 21u);
}

fn reduce_add_21_s_s0(first: i32, lane: u32) -> f32 {
  workgroupBarrier();
  for (var i = lane; i < 16u; i += 8u) {
    var value = read_s_s0(first + i32(i));
    if (i + 16u < 21u) { value = value + read_s_s0(first + i32(i + 16u)); }
    reduction_f32[i] = value;
  }
  workgroupBarrier();
  {
    let i = lane;
    reduction_f32[i] = reduction_f32[i] + reduction_f32[i + 8u];
  }
  workgroupBarrier();
  if (lane < 4u) {
    let i = lane;
    reduction_f32[i] = reduction_f32[i] + reduction_f32[i + 4u];
  }
  workgroupBarrier();
  if (lane < 2u) {
    let i = lane;
    reduction_f32[i] = reduction_f32[i] + reduction_f32[i + 2u];
  }
  workgroupBarrier();
  if (lane < 1u) {
    let i = lane;
    reduction_f32[i] = reduction_f32[i] + reduction_f32[i + 1u];
  }
  workgroupBarrier();
  return reduction_f32[0];
}

fn max_f32(a: f32, b: f32) -> f32 {
  return select(a, b, b > a);
}

fn reduce_max_5_s_s0(first: i32, lane: u32) -> f32 {
  workgroupBarrier();
  if (lane < 4u) {
    let i = lane;
    var value = read_s_s0(first + i32(i));
    if (i + 4u < 5u) { value = max_f32(value, read_s_s0(first + i32(i + 4u))); }
    reduction_f32[i] = value;
  }
  workgroupBarrier();
  if (lane < 2u) {
    let i = lane;
    reduction_f32[i] = max_f32(reduction_f32[i], reduction_f32[i + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    let i = lane;
    reduction_f32[i] = max_f32(reduction_f32[i], reduction_f32[i + 1u]);
  }
  workgroupBarrier();
  return reduction_f32[0];
}

fn min_f32(a: f32, b: f32) -> f32 {
  return select(a, b, b < a);
}

fn reduce_min_21_s_s0(first: i32, lane: u32) -> f32 {
  workgroupBarrier();
  for (var i = lane; i < 16u; i += 8u) {
    var value = read_s_s0(first + i32(i));
    if (i + 16u < 21u) { value = min_f32(value, read_s_s0(first + i32(i + 16u))); }
    reduction_f32[i] = value;
  }
  workgroupBarrier();
  {
    let i = lane;
    reduction_f32[i] = min_f32(reduction_f32[i], reduction_f32[i + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    let i = lane;
    reduction_f32[i] = min_f32(reduction_f32[i], reduction_f32[i + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    let i = lane;
    reduction_f32[i] = min_f32(reduction_f32[i], reduction_f32[i + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    let i = lane;
    reduction_f32[i] = min_f32(reduction_f32[i], reduction_f32[i + 1u]);
  }
  workgroupBarrier();
  return reduction_f32[0];
}

fn read_v_s1(index: i32) -> vec4<f32> {
  return select(vec4<f32>(), v_s1[u32(index)], u32(index) < 8u);
}

fn reduce_add_8_v_s1(first: i32, lane: u32) -> vec4<f32> {
  workgroupBarrier();
  if (lane < 4u) {
    let i = lane;
    var value = read_v_s1(first + i32(i));
    { value = value + read_v_s1(first + i32(i + 4u)); }
    reduction_f32x4[i] = value;
  }
  workgroupBarrier();
  if (lane < 2u) {
    let i = lane;
    reduction_f32x4[i] = reduction_f32x4[i] + reduction_f32x4[i + 2u];
  }
  workgroupBarrier();
  if (lane < 1u) {
    let i = lane;
    reduction_f32x4[i] = reduction_f32x4[i] + reduction_f32x4[i + 1u];
  }
  workgroupBarrier();
  return reduction_f32x4[0];
}

fn reduce_in_order_21_s_s0(first: i32, lane: u32) -> f32 {
  workgroupBarrier();
  var sum = read_s_s0(first);
  for (var i = 1i; i < 21i; i++) { sum = sum + read_s_s0(first + i); }
  return sum;
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
  // at reductions.loom:5:3
  for (var t0 = lane; t0 < 21u; t0 += 8u) {
    let i_l0 = 0i + i32(t0);
    // at reductions.loom:5:25
    s_s0[i_l0] = read_x_v0(x_v0_base, x_v0_length, i_l0);
  }
  // at reductions.loom:6:3
  {
    let i_l1 = i32(lane);
    // at reductions.loom:6:24
    v_s1[i_l1] = read_x_v0_4(x_v0_base, x_v0_length, (i_l1 * 4i));
  }
  // at reductions.loom:7:13
  workgroupBarrier();
  let t1 = reduce_add_21_s_s0(0i, lane);
  let reduce_add_l2 = t1;
  let sum_l3 = reduce_add_l2;
  // at reductions.loom:8:28
  let t2 = reduce_max_5_s_s0(3i, lane);
  let reduce_max_l4 = t2;
  let part_l5 = reduce_max_l4;
  // at reductions.loom:9:15
  let t3 = reduce_min_21_s_s0(0i, lane);
  let reduce_min_l6 = t3;
  let least_l7 = reduce_min_l6;
  // at reductions.loom:10:13
  let t4 = reduce_add_8_v_s1(0i, lane);
  let reduce_add_l8 = t4;
  let all_l9 = reduce_add_l8;
  // at reductions.loom:11:15
  let t5 = reduce_in_order_21_s_s0(0i, lane);
  let sum_in_order_l10 = t5;
  let order_l11 = sum_in_order_l10;
  // at reductions.loom:12:3
  if (lane < 1u) {
    let lane_l12 = 0i + i32(lane);
    // at reductions.loom:12:10
    write_y_v1(y_v1_base, y_v1_length, 0i, sum_l3);
    // at reductions.loom:12:22
    write_y_v1(y_v1_base, y_v1_length, 1i, part_l5);
    // at reductions.loom:12:35
    write_y_v1(y_v1_base, y_v1_length, 2i, least_l7);
    // at reductions.loom:12:49
    let t6 = all_l9;
    write_y_v1(y_v1_base, y_v1_length, 3i, ((t6.x + t6.z) + (t6.y + t6.w)));
    // at reductions.loom:12:67
    write_y_v1(y_v1_base, y_v1_length, 4i, order_l11);
  }
}
