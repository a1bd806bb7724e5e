enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32, n_l0: i32 }
@group(0) @binding(2) var<uniform> slot: Slot;

fn read_x_v0(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at], u32(index) < length);
}

fn write_y_v1(base: u32, length: u32, index: i32, value: f32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_1[at] = value;
  }
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(subgroup_invocation_id) sub_lane: u32) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  let n_l0 = slot.n_l0;
  var s_l5: f32;
  var tile_v2_base: u32;
  var tile_v2_length: u32;
  var tile_v3_base: u32;
  var tile_v3_length: u32;
  var slice_v4_base: u32;
  var slice_v4_length: u32;
  // at tiles.loom:3:15
  let t0 = u32(n_l0);
  tile_v2_base = x_v0_base + t0;
  tile_v2_length = select(0u, 4u, t0 <= x_v0_length && 4u <= x_v0_length - t0);
  // at tiles.loom:4:3
  {
    let i_l1 = i32(lane);
    // at tiles.loom:5:16
    let t1 = u32((i_l1 * 9i));
    tile_v3_base = x_v0_base + t1;
    tile_v3_length = select(0u, 4u, t1 <= x_v0_length && 4u <= x_v0_length - t1);
    // at tiles.loom:6:16
    let t2 = u32(i_l1);
    let t3 = u32(n_l0);
    slice_v4_base = x_v0_base + t2;
    slice_v4_length = select(0u, t3, t2 <= x_v0_length && t3 <= x_v0_length - t2);
    // at tiles.loom:7:13
    let t4 = (n_l0 + 3i);
    let t5 = 2i;
    let t6 = read_x_v0(x_v0_base, x_v0_length, t4 + (0i + i32(sub_lane & 7u)) * t5);
    let take0_l2 = subgroupBroadcast(t6, 0u);
    let take1_l3 = subgroupBroadcast(t6, 1u);
    let take2_l4 = subgroupBroadcast(t6, 2u);
    // at tiles.loom:8:5
    s_l5 = (((read_x_v0(tile_v2_base, tile_v2_length, 1i) + read_x_v0(tile_v3_base, tile_v3_length, 2i)) + take0_l2) + take2_l4);
    // at tiles.loom:9:5
    let t7 = i32(slice_v4_length);
    for (var k_l6 = 0i; k_l6 < t7; k_l6 += 1i) {
      // at tiles.loom:9:30
      s_l5 = (s_l5 + read_x_v0(slice_v4_base, slice_v4_length, k_l6));
    }
    // at tiles.loom:10:5
    write_y_v1(y_v1_base, y_v1_length, i_l1, s_l5);
  }
}
