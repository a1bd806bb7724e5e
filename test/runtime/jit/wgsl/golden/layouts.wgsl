@group(0) @binding(0) var<storage, read_write> binding_0: array<u32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
struct Slot { rows_v0_base: u32, rows_v0_length: u32, y_v1_base: u32, y_v1_length: u32 }
@group(0) @binding(2) var<uniform> slot: Slot;

fn read_rows_v0_i32x1_at_8(base: u32, length: u32, index: i32) -> i32 {
  let at = base + u32(index) * 8u + 2u;
  return select(i32(), bitcast<i32>(binding_0[at]), u32(index) < length);
}

fn read_rows_v0_i32x2_at_0(base: u32, length: u32, index: i32) -> vec2<i32> {
  let at = base + u32(index) * 8u;
  return select(vec2<i32>(), bitcast<vec2<i32>>(vec2<u32>(binding_0[at], binding_0[at + 1u])), u32(index) < length);
}

fn read_rows_v0_i32x1_at_16_each(base: u32, length: u32, index: i32, sub: i32) -> i32 {
  let at = base + u32(index) * 8u + 4u + u32(sub) * 1u;
  return select(i32(), bitcast<i32>(binding_0[at]), u32(index) < length && u32(sub) < 3u);
}

fn write_y_v1(base: u32, length: u32, index: i32, value: f32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_1[at] = value;
  }
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let rows_v0_base = slot.rows_v0_base;
  let rows_v0_length = slot.rows_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  // at layouts.loom:7:80
  let span_l3 = read_rows_v0_i32x1_at_8(rows_v0_base, rows_v0_length, 0i);
  // at layouts.loom:5:3
  {
    let i_l0 = i32(lane);
    // at layouts.loom:7:16
    let id_l1 = read_rows_v0_i32x2_at_0(rows_v0_base, rows_v0_length, i_l0);
    // at layouts.loom:7:37
    let span_l2 = read_rows_v0_i32x1_at_8(rows_v0_base, rows_v0_length, i_l0);
    // at layouts.loom:7:5
    write_y_v1(y_v1_base, y_v1_length, i_l0, (((f32((id_l1.x & 15i)) + f32((span_l2 & 255i))) + f32((read_rows_v0_i32x1_at_16_each(rows_v0_base, rows_v0_length, i_l0, i_l0) & 7i))) + f32((span_l3 & 3i))));
  }
}
