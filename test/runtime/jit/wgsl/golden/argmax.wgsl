@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32 }
@group(0) @binding(2) var<uniform> slot: Slot;
var<workgroup> v_s0: array<f32, 12>;
var<workgroup> id_s1: array<i32, 12>;
var<workgroup> reduction_f32: array<f32, 8>;
var<workgroup> best_i32: array<i32, 8>;

fn read_x_v0(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at], u32(index) < length);
}

struct Best_f32_i32 { value: f32, index: i32 }
fn better_Best_f32_i32(a: Best_f32_i32, b: Best_f32_i32) -> Best_f32_i32 {
  if (b.value > a.value || (b.value == a.value && b.index < a.index)) { return b; }
  return a;
}

fn read_v_s0(index: i32) -> f32 {
  return select(f32(), v_s0[u32(index)], u32(index) < 12u);
}

fn read_id_s1(index: i32) -> i32 {
  return select(i32(), id_s1[u32(index)], u32(index) < 12u);
}

fn argmax_12_v_s0_id_s1(lane: u32) -> Best_f32_i32 {
  workgroupBarrier();
  {
    let i = lane;
    var best: Best_f32_i32;
    best = Best_f32_i32(read_v_s0(i32(i)), read_id_s1(i32(i)));
    let other = Best_f32_i32(read_v_s0(i32(i + 8u)), read_id_s1(i32(i + 8u)));
    if (i + 8u < 12u) { best = better_Best_f32_i32(best, other); }
    reduction_f32[i] = best.value;
    best_i32[i] = best.index;
  }
  workgroupBarrier();
  if (lane < 4u) {
    let i = lane;
    let best = better_Best_f32_i32(Best_f32_i32(reduction_f32[i], best_i32[i]), Best_f32_i32(reduction_f32[i + 4u], best_i32[i + 4u]));
    reduction_f32[i] = best.value;
    best_i32[i] = best.index;
  }
  workgroupBarrier();
  if (lane < 2u) {
    let i = lane;
    let best = better_Best_f32_i32(Best_f32_i32(reduction_f32[i], best_i32[i]), Best_f32_i32(reduction_f32[i + 2u], best_i32[i + 2u]));
    reduction_f32[i] = best.value;
    best_i32[i] = best.index;
  }
  workgroupBarrier();
  if (lane < 1u) {
    let i = lane;
    let best = better_Best_f32_i32(Best_f32_i32(reduction_f32[i], best_i32[i]), Best_f32_i32(reduction_f32[i + 1u], best_i32[i + 1u]));
    reduction_f32[i] = best.value;
    best_i32[i] = best.index;
  }
  workgroupBarrier();
  return Best_f32_i32(reduction_f32[0], best_i32[0]);
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
  var value_l1: f32;
  var index_l2: i32;
  // at argmax.loom:5:3
  for (var t0 = lane; t0 < 12u; t0 += 8u) {
    let i_l0 = 0i + i32(t0);
    // at argmax.loom:5:25
    v_s0[i_l0] = floor((read_x_v0(x_v0_base, x_v0_length, i_l0) * 0.10000000149011612f));
    // at argmax.loom:5:51
    id_s1[i_l0] = (40i - i_l0);
  }
  // at argmax.loom:6:14
  workgroupBarrier();
  let t1 = argmax_12_v_s0_id_s1(lane);
  value_l1 = t1.value;
  index_l2 = t1.index;
  // at argmax.loom:7:3
  if (lane < 1u) {
    let lane_l3 = 0i + i32(lane);
    // at argmax.loom:7:10
    write_y_v1(y_v1_base, y_v1_length, 0i, value_l1);
    // at argmax.loom:7:29
    write_y_v1(y_v1_base, y_v1_length, 1i, f32(index_l2));
  }
}
