/**
 * Builds typed trees by hand, for tests of executors: short constructors for types, expressions and
 * statements, and builders for functions, kernels and command programs. Meant to be imported whole.
 */
export * from './typed-expressions.js';
export * from './typed-statements.js';
export * from './function-builder.js';
export * from './kernel-builder.js';
export * from './command-builder.js';
