/**
 * Bounds on what a header may make us hold. They are far above any checkpoint that is known, and
 * low enough that a hostile one costs some hundred MB and seconds at worst. All are fixed.
 */
export const checkpointLimits = {
  /** As the reference reader of safetensors has it. */
  safetensorsHeaderBytes: 100_000_000,
  /** GGUF has tokenizers with all their pieces in its metadata. */
  ggufHeaderBytes: 128 * 2 ** 20,
  /** Of a whole checkpoint. */
  tensors: 500_000,
  /** Of a shard. */
  metadataKeys: 65_536,
  /** Elements of all arrays in the metadata of a shard. */
  metadataElements: 2_097_152,
  /** Arrays in arrays. */
  metadataDepth: 4,
  /** Bytes of a name or key. */
  nameBytes: 65_535,
  /** Bytes of a string value of GGUF metadata. */
  stringBytes: 16 * 2 ** 20,
  safetensorsRank: 32,
  ggufRank: 4,
} as const;
