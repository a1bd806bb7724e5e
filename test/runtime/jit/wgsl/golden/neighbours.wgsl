@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32 }
@group(0) @binding(2) var<uniform> slot: Slot;
var<workgroup> s_s0: array<f32, 18>;

fn write_s_s0(index: i32, value: f32) {
  if (u32(index) < 18u) { s_s0[u32(index)] = value; }
}

fn read_x_v0(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at], u32(index) < length);
}

fn read_x_v0_4(base: u32, length: u32, index: i32) -> vec4<f32> {
  return vec4<f32>(read_x_v0(base, length, index + 0i), read_x_v0(base, length, index + 1i), read_x_v0(base, length, index + 2i), read_x_v0(base, length, index + 3i));
}

fn write_y_v1(base: u32, length: u32, index: i32, value: f32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_1[at] = value;
  }
}

fn write_y_v1_4(base: u32, length: u32, index: i32, value: vec4<f32>) {
  write_y_v1(base, length, index + 0i, value.x);
  write_y_v1(base, length, index + 1i, value.y);
  write_y_v1(base, length, index + 2i, value.z);
  write_y_v1(base, length, index + 3i, value.w);
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  // at neighbours.loom:4:3
  {
    let i_l0 = i32(lane);
    // at neighbours.loom:4:24
    let t0 = ((i_l0 * 4i) + 1i);
    let t1 = read_x_v0_4(x_v0_base, x_v0_length, ((i_l0 * 3i) + (60i * (i_l0 / 3i))));
    write_s_s0(t0 + 0i, t1.x);
    write_s_s0(t0 + 1i, t1.y);
    write_s_s0(t0 + 2i, t1.z);
    write_s_s0(t0 + 3i, t1.w);
  }
  // at neighbours.loom:5:3
  workgroupBarrier();
  {
    let i_l1 = i32(lane);
    // at neighbours.loom:5:24
    let t2 = ((i_l1 * 4i) + 1i);
    write_y_v1_4(y_v1_base, y_v1_length, (i_l1 * 5i), (vec4<f32>(s_s0[t2 + 0i], s_s0[t2 + 1i], s_s0[t2 + 2i], s_s0[t2 + 3i]) * vec4<f32>(2f, 2f, 2f, 2f)));
  }
}
