/**
 * The part of the platform's WebAssembly interface that is used here. Node has it, but its types do
 * not come with Node's, and the ones of browsers would let browser names pass unnoticed.
 */
declare namespace WebAssembly {
  type Bytes = ArrayBufferView | ArrayBuffer | SharedArrayBuffer;

  class Module {
    constructor(bytes: Bytes);
    static exports(module: Module): { name: string; kind: string }[];
    static imports(module: Module): { module: string; name: string; kind: string }[];
    static customSections(module: Module, name: string): ArrayBuffer[];
  }

  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }

  /** Sizes in pages of 64 KiB. */
  class Memory {
    constructor(limits: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer | SharedArrayBuffer;
    grow(pages: number): number;
  }

  class RuntimeError extends Error {}
  class CompileError extends Error {}
  class LinkError extends Error {}

  function validate(bytes: Bytes): boolean;
  function compile(bytes: Bytes): Promise<Module>;
}
