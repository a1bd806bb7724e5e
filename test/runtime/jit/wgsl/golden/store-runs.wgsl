@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32, n_l0: i32 }
@group(0) @binding(2) var<uniform> slot: Slot;
var<workgroup> s_s0: array<f32, 40>;
var<workgroup> t_s1: array<f32, 30>;
var<workgroup> few_s2: array<f32, 8>;

fn read_x_v0(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at], u32(index) < length);
}

fn write_t_s1(index: i32, value: f32) {
  if (u32(index) < 30u) { t_s1[u32(index)] = value; }
}

fn read_t_s1(index: i32) -> f32 {
  return select(f32(), t_s1[u32(index)], u32(index) < 30u);
}

fn write_y_v1(base: u32, length: u32, index: i32, value: f32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_1[at] = value;
  }
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  let n_l0 = slot.n_l0;
  var v0_l2: f32;
  var v1_l3: f32;
  var v2_l4: f32;
  var v3_l5: f32;
  var v4_l6: f32;
  var v5_l7: f32;
  var v6_l8: f32;
  var v7_l9: f32;
  var v8_l10: f32;
  var v9_l11: f32;
  // at store-runs.loom:6:3
  {
    let lane_l1 = i32(lane);
    // at store-runs.loom:7:5
    v0_l2 = 0f;
    v1_l3 = 0f;
    v2_l4 = 0f;
    v3_l5 = 0f;
    v4_l6 = 0f;
    v5_l7 = 0f;
    v6_l8 = 0f;
    v7_l9 = 0f;
    v8_l10 = 0f;
    v9_l11 = 0f;
    // at store-runs.loom:8:29
    v0_l2 = read_x_v0(x_v0_base, x_v0_length, (0i + lane_l1));
    v1_l3 = read_x_v0(x_v0_base, x_v0_length, (4i + lane_l1));
    v2_l4 = read_x_v0(x_v0_base, x_v0_length, (8i + lane_l1));
    v3_l5 = read_x_v0(x_v0_base, x_v0_length, (12i + lane_l1));
    v4_l6 = read_x_v0(x_v0_base, x_v0_length, (16i + lane_l1));
    v5_l7 = read_x_v0(x_v0_base, x_v0_length, (20i + lane_l1));
    v6_l8 = read_x_v0(x_v0_base, x_v0_length, (24i + lane_l1));
    v7_l9 = read_x_v0(x_v0_base, x_v0_length, (28i + lane_l1));
    v8_l10 = read_x_v0(x_v0_base, x_v0_length, (32i + lane_l1));
    v9_l11 = read_x_v0(x_v0_base, x_v0_length, (36i + lane_l1));
    // at store-runs.loom:9:29
    var t0: array<f32, 10>;
    t0[0] = v0_l2;
    t0[1] = v1_l3;
    t0[2] = v2_l4;
    t0[3] = v3_l5;
    t0[4] = v4_l6;
    t0[5] = v5_l7;
    t0[6] = v6_l8;
    t0[7] = v7_l9;
    t0[8] = v8_l10;
    t0[9] = v9_l11;
    for (var t1 = 0i; t1 < 10i; t1 += 1i) {
      s_s0[(0i + lane_l1) + t1 * 4i] = t0[t1];
    }
    // at store-runs.loom:10:19
    let at_l12 = (lane_l1 + n_l0);
    // at store-runs.loom:11:29
    var t2: array<f32, 10>;
    t2[0] = v9_l11;
    t2[1] = v8_l10;
    t2[2] = v7_l9;
    t2[3] = v6_l8;
    t2[4] = v5_l7;
    t2[5] = v4_l6;
    t2[6] = v3_l5;
    t2[7] = v2_l4;
    t2[8] = v1_l3;
    t2[9] = v0_l2;
    for (var t3 = 0i; t3 < 10i; t3 += 1i) {
      write_t_s1((0i + at_l12) + t3 * 4i, t2[t3]);
    }
    // at store-runs.loom:12:28
    few_s2[(0i + lane_l1)] = v0_l2;
    few_s2[(4i + lane_l1)] = v1_l3;
  }
  // at store-runs.loom:13:3
  workgroupBarrier();
  for (var t4 = lane; t4 < 40u; t4 += 4u) {
    let i_l13 = 0i + i32(t4);
    // at store-runs.loom:13:25
    write_y_v1(y_v1_base, y_v1_length, i_l13, (s_s0[(39i - i_l13)] + (read_t_s1(i_l13) * few_s2[(i_l13 % 8i)])));
  }
}
