enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<vec4<f32>>;
struct Slot { x_v0_base: u32, x_v0_length: u32, w_v1_base: u32, w_v1_length: u32, y_v2_base: u32, y_v2_length: u32, rows_l0: i32 }
@group(0) @binding(3) var<uniform> slot: Slot;

fn read_x_v0(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at], u32(index) < length);
}

fn read_w_v1(base: u32, length: u32, index: i32) -> vec4<f32> {
  let at = base + u32(index);
  return select(vec4<f32>(), binding_1[at], u32(index) < length);
}

fn write_y_v2(base: u32, length: u32, index: i32, value: vec4<f32>) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_2[at] = value;
  }
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(subgroup_invocation_id) sub_lane: u32) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let w_v1_base = slot.w_v1_base;
  let w_v1_length = slot.w_v1_length;
  let y_v2_base = slot.y_v2_base;
  let y_v2_length = slot.y_v2_length;
  let rows_l0 = slot.rows_l0;
  var acc0_l3: vec4<f32>;
  var acc1_l4: vec4<f32>;
  var acc2_l5: vec4<f32>;
  // at broadcast-loads.loom:3:27
  let first_l1 = (i32(group.x) * 3i);
  // at broadcast-loads.loom:4:3
  {
    let lane_l2 = i32(lane);
    // at broadcast-loads.loom:5:5
    acc0_l3 = vec4<f32>(0f, 0f, 0f, 0f);
    acc1_l4 = vec4<f32>(0f, 0f, 0f, 0f);
    acc2_l5 = vec4<f32>(0f, 0f, 0f, 0f);
    // at broadcast-loads.loom:6:5
    let t0 = rows_l0;
    for (var k_l6 = 0i; k_l6 < t0; k_l6 += 1i) {
      // at broadcast-loads.loom:6:32
      let t2 = ((first_l1 * 8i) + k_l6);
      let t3 = 8i;
      let t4 = read_x_v0(x_v0_base, x_v0_length, t2 + (0i + i32(sub_lane & 7u)) * t3);
      let take0_l7 = subgroupBroadcast(t4, 0u);
      let take1_l8 = subgroupBroadcast(t4, 1u);
      let take2_l9 = subgroupBroadcast(t4, 2u);
      // at broadcast-loads.loom:7:30
      acc0_l3 = (vec4<f32>(take0_l7) * read_w_v1(w_v1_base, w_v1_length, k_l6) + acc0_l3);
      acc1_l4 = (vec4<f32>(take1_l8) * read_w_v1(w_v1_base, w_v1_length, k_l6) + acc1_l4);
      acc2_l5 = (vec4<f32>(take2_l9) * read_w_v1(w_v1_base, w_v1_length, k_l6) + acc2_l5);
    }
    // at broadcast-loads.loom:8:28
    write_y_v2(y_v2_base, y_v2_length, (((first_l1 + 0i) * 8i) + lane_l2), (acc0_l3 * vec4<f32>(f32(lane_l2))));
    write_y_v2(y_v2_base, y_v2_length, (((first_l1 + 1i) * 8i) + lane_l2), (acc1_l4 * vec4<f32>(f32(lane_l2))));
    write_y_v2(y_v2_base, y_v2_length, (((first_l1 + 2i) * 8i) + lane_l2), (acc2_l5 * vec4<f32>(f32(lane_l2))));
    // at broadcast-loads.loom:9:5
    if ((lane_l2 < 5i)) {
      // at broadcast-loads.loom:9:27
      let t5 = first_l1;
      let t6 = 1i;
      let take0_l10 = read_x_v0(x_v0_base, x_v0_length, t5);
      let take1_l11 = read_x_v0(x_v0_base, x_v0_length, t5 + 1i * t6);
      // at broadcast-loads.loom:10:7
      write_y_v2(y_v2_base, y_v2_length, (lane_l2 + 60i), vec4<f32>((take0_l10 + take1_l11)));
    }
  }
}
