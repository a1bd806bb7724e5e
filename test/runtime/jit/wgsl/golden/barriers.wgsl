@group(0) @binding(0) var<storage, read_write> binding_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> binding_1: array<f32>;
@group(0) @binding(2) var<storage, read_write> binding_2: array<f32>;
struct Slot { x_v0_base: u32, x_v0_length: u32, y_v1_base: u32, y_v1_length: u32, z_v2_base: u32, z_v2_length: u32 }
@group(0) @binding(3) var<uniform> slot: Slot;
var<workgroup> s_s0: array<f32, 16>;
var<workgroup> own_s1: array<f32, 16>;

fn read_x_v0(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_0[at], u32(index) < length);
}

fn read_z_v2(base: u32, length: u32, index: i32) -> f32 {
  let at = base + u32(index);
  return select(f32(), binding_2[at], u32(index) < length);
}

fn write_z_v2(base: u32, length: u32, index: i32, value: f32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_2[at] = value;
  }
}

fn write_y_v1(base: u32, length: u32, index: i32, value: f32) {
  if (u32(index) < length) {
    let at = base + u32(index);
    binding_1[at] = value;
  }
}

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let x_v0_base = slot.x_v0_base;
  let x_v0_length = slot.x_v0_length;
  let y_v1_base = slot.y_v1_base;
  let y_v1_length = slot.y_v1_length;
  let z_v2_base = slot.z_v2_base;
  let z_v2_length = slot.z_v2_length;
  // at barriers.loom:5:3
  {
    let i_l0 = i32(lane);
    // at barriers.loom:5:25
    s_s0[i_l0] = read_x_v0(x_v0_base, x_v0_length, i_l0);
    // at barriers.loom:5:38
    own_s1[i_l0] = 1f;
    // at barriers.loom:5:52
    write_z_v2(z_v2_base, z_v2_length, i_l0, (read_z_v2(z_v2_base, z_v2_length, i_l0) + 1f));
  }
  // at barriers.loom:6:3
  for (var round_l1 = 0i; round_l1 < 3i; round_l1 += 1i) {
    // at barriers.loom:7:5
    workgroupBarrier();
    {
      let i_l2 = i32(lane);
      // at barriers.loom:7:27
      own_s1[(15i - i_l2)] = (own_s1[(15i - i_l2)] + s_s0[((i_l2 + 1i) % 16i)]);
    }
    // at barriers.loom:8:5
    workgroupBarrier();
    storageBarrier();
    {
      let i_l3 = i32(lane);
      // at barriers.loom:8:27
      s_s0[i_l3] = ((s_s0[i_l3] * 0.5f) + read_z_v2(z_v2_base, z_v2_length, (15i - i_l3)));
    }
  }
  // at barriers.loom:9:3
  workgroupBarrier();
  {
    let i_l4 = i32(lane);
    // at barriers.loom:9:25
    write_y_v1(y_v1_base, y_v1_length, i_l4, (s_s0[(15i - i_l4)] + own_s1[i_l4]));
  }
}
