/** onnxruntime as a peer: sessions that multiply by a constant matrix, on so many threads. */
import { matMulModel, type MatMulShape } from './onnx-model.js';
import { peer } from './peer.js';

/** What benchmarks use of onnxruntime-web and onnxruntime-node; both have the same interface. */
interface OnnxRuntime {
  readonly env: { logLevel: string; readonly wasm: { numThreads: number } };
  readonly Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => object;
  readonly InferenceSession: {
    create(
      model: Uint8Array,
      options: object,
    ): Promise<{ run(feeds: object): Promise<{ readonly y: { readonly data: Float32Array } }> }>;
  };
}

export interface OnnxProduct {
  readonly name: string;
  launch(): Promise<void>;
  /** The last product of the last launch. */
  product(): Promise<Float32Array>;
}

export interface OnnxPeer {
  readonly name: string;
  /** `times` products of M rows each; `x` holds the rows of all. */
  product(
    shape: MatMulShape,
    w: Float32Array,
    rows: { readonly x: Float32Array; readonly times: number },
  ): Promise<OnnxProduct>;
}

/** The runtime with so many threads, or null when it is not installed. */
export function openRuntime(name: string, threads: number): OnnxPeer | null {
  const runtime = peer<OnnxRuntime>(name);
  if (runtime === null) return null;
  const isWeb = name === 'onnxruntime-web';
  if (isWeb) runtime.env.wasm.numThreads = threads;
  return peerOf(name, runtime, {
    executionProviders: [isWeb ? 'wasm' : 'cpu'],
    executionMode: 'sequential',
    ...(isWeb ? {} : { intraOpNumThreads: threads, interOpNumThreads: 1 }),
  });
}

/** onnxruntime-node on a WebGPU adapter of its own choice; null when it is not installed. */
export function openWebgpuRuntime(): OnnxPeer | null {
  const runtime = peer<OnnxRuntime>('onnxruntime-node');
  return runtime && peerOf('onnxruntime-node', runtime, { executionProviders: ['webgpu'] });
}

function peerOf(name: string, runtime: OnnxRuntime, options: object): OnnxPeer {
  runtime.env.logLevel = 'error';
  return {
    name,
    product: async (shape, w, { x, times }) => {
      const { M, K, N } = shape;
      const model = matMulModel(shape, w, times);
      const session = await runtime.InferenceSession.create(model, options);
      const feeds = { x: new runtime.Tensor('float32', x, [times * M, K]) };
      let y: Float32Array = new Float32Array(0);
      return {
        name,
        launch: async () => void (y = (await session.run(feeds)).y.data),
        product: async () => y.subarray((times - 1) * M * N),
      };
    },
  };
}
