/**
 * Identities of compiled code. A stage's key tells declarations of one generation apart: equal
 * declarations are one specialization, whatever their order of binding or their tag. An artefact's
 * key also covers the program itself, the configuration, the device and the compiler, so it may
 * name compiled bytes beyond one generation.
 */
import { createHash } from 'node:crypto';
import type { TargetFacts } from '../base/target-facts.js';
import type { DeclaredSource } from '../modules/declared-sources.js';
import type { Bindings, PackageSource, StageDeclaration } from './artefacts.js';

/** Changes whenever the compiler's output for equal input does. */
export const compilerVersion = 1;

/**
 * The identity of a declaration, its parameters included: 32 hexadecimal digits; also part of actor
 * addresses, so nothing else occurs in it. Sources from `firstSource` on are the invocation's own
 * and count by their files, because another invocation numbers others alike.
 */
export function stageKey(declaration: StageDeclaration, own: OwnSources = noSources): string {
  const { parameters } = declaration;
  if (parameters.length === 0) return codeKey(declaration);
  const rows = parameters.map(({ binding, input, source, policy }) => {
    const files = own.sources[source - own.firstSource]?.files ?? [];
    const named = files.map(({ directory, path }) => [directory, path]);
    return [binding, input, files.length === 0 ? source : named, policy.name, policy.args];
  });
  return digest([codeKey(declaration), rows]);
}

/** A choice with parameters or sources of its own: all of its stages and files, in order. */
export function choiceKey({ stages, sources }: DeclaredChoice, firstSource: number): string {
  const files = sources.map((source) => source.files.map((file) => [file.directory, file.path]));
  return digest([stages.map((stage) => stageKey(stage, { firstSource, sources })), files]);
}

export interface DeclaredChoice {
  readonly stages: readonly StageDeclaration[];
  readonly sources: readonly DeclaredSource[];
}

export interface OwnSources {
  readonly firstSource: number;
  readonly sources: readonly DeclaredSource[];
}

const noSources: OwnSources = { firstSource: 0, sources: [] };

/** The identity of a stage's code, whatever parameters it is given. */
export function codeKey(declaration: StageDeclaration): string {
  const { kind, symbol, config, workspaceLimitBytes } = declaration;
  const sorted = [...config].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return digest([kind, symbol.name, symbol.args, sorted, workspaceLimitBytes]);
}

export interface ArtefactIdentity {
  readonly sources: readonly PackageSource[];
  readonly bindings: Bindings;
  readonly declaration: StageDeclaration;
  readonly facts: TargetFacts;
}

export function artefactKey(identity: ArtefactIdentity): string {
  const { sources, bindings, declaration, facts: target } = identity;
  const files = sources.map(({ file, bytes }) => [file, sha256(bytes)]);
  const facts = Object.entries(target).sort(([left], [right]) => (left < right ? -1 : 1));
  return digest([compilerVersion, files, bindings, codeKey(declaration), facts]);
}

/** Of plain values, as their JSON. */
export function digest(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 32);
}

const sha256 = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex');
