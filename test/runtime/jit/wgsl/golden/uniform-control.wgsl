@group(0) @binding(0) var<storage, read_write> binding_0: array<i32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<i32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32 }
@group(0) @binding(2) var<uniform> slot: Slot;
var<workgroup> s_s0: array<i32, 4>;
var<workgroup> uniform_i32: array<i32, 1>;

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

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  // at uniform-control.loom:4:26
  if (lane == 0u) { uniform_i32[0] = read_x_v0(x_v0_base, x_v0_length, i32(group.x)); }
  let t0 = workgroupUniformLoad(&uniform_i32[0]);
  let n_l0 = (t0 & 3i);
  // at uniform-control.loom:5:3
  if ((n_l0 == 3i)) {
    // at uniform-control.loom:5:15
    return;
  }
  // at uniform-control.loom:6:3
  let t1 = n_l0;
  for (var r_l1 = 0i; r_l1 < t1; r_l1 += 1i) {
    // at uniform-control.loom:7:5
    workgroupBarrier();
    {
      let i_l2 = i32(lane);
      // at uniform-control.loom:7:26
      s_s0[i_l2] = ((s_s0[(i_l2 + 0i)] + read_x_v0(x_v0_base, x_v0_length, (i_l2 + r_l1))) & 7i);
    }
    // at uniform-control.loom:8:5
    workgroupBarrier();
    if (lane == 0u) { uniform_i32[0] = s_s0[1i]; }
    let t3 = workgroupUniformLoad(&uniform_i32[0]);
    if ((t3 > 2i)) {
      // at uniform-control.loom:8:19
      break;
    }
  }
  // at uniform-control.loom:9:3
  {
    let i_l3 = i32(lane);
    // at uniform-control.loom:9:24
    write_y_v1(y_v1_base, y_v1_length, ((i32(group.x) * 4i) + i_l3), (s_s0[(3i - i_l3)] + n_l0));
  }
}
