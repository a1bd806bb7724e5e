/** Memory over many requests on a WebGPU device: what `soak.bench.ts` measures on the local one. */
process.argv.push('--device', 'webgpu');
await import('../soak.bench.js');
