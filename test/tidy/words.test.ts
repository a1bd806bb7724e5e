import { test } from 'uvu';
import { basename } from 'node:path';
import { allCode, lineAt, paths, read, report, shipped } from './sources.js';
import type { SourceFile } from './sources.js';

/** Written in parts, so that this file does not break its own rules. */
const word = (...parts: string[]): string => parts.join('');

const textFiles: readonly SourceFile[] = paths
  .filter((path) => !/\.(png|jpg|ico|wasm|loombc|safetensors|gguf|bin)$/.test(path))
  .filter((path) => path !== 'package-lock.json')
  .map(read);

function breachesOf(files: readonly SourceFile[], pattern: RegExp, says: string): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(
      (match) => `${path}:${lineAt(text, match.index)}: "${match[0]}": ${says}`,
    ),
  );
}

test('files are named for a noun, in kebab-case', () => {
  const banned = /(^|[-.])(utils?|helpers?|managers?|misc|common|stuff)([-.]|$)/;
  const shape = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/;
  // Editors look for grammars by this ending.
  const free =
    /^((README|LICENSE|CHANGELOG|STATECHARTS|PERFORMANCE|CONTRIBUTING)(\.md)?|[a-z]+\.tmLanguage\.json)$/;
  report(
    paths.flatMap((path) => {
      const name = basename(path);
      if (name.startsWith('.') || free.test(name)) return [];
      if (path.split('/').some((part) => banned.test(part)))
        return [`${path}: says nothing by its name`];
      return shape.test(name) ? [] : [`${path}: not kebab-case`];
    }),
  );
});

test('no leftovers', () => {
  const markers = [word('TO', 'DO'), word('FIX', 'ME'), word('X', 'XX'), word('HA', 'CK')];
  const pattern = new RegExp(`\\b(${markers.join('|')})\\b`, 'g');
  report(breachesOf(textFiles, pattern, 'a marker of unfinished work'));
  const pending = new RegExp(`\\bnot (yet )?${word('implem', 'ented')}\\b`, 'gi');
  report(breachesOf(shipped, pending, 'say what is missing and which part will have it'));
  const quiet = new RegExp(`@ts-${word('ig', 'nore')}|@ts-${word('noch', 'eck')}`, 'g');
  report(breachesOf(allCode, quiet, 'silences the compiler'));
});

test('no test is left alone or left out', () => {
  const tests = allCode.filter(({ path }) => path.endsWith('.test.ts'));
  report(
    breachesOf(tests, new RegExp(`\\btest\\.${word('on', 'ly')}\\(`, 'g'), 'hides the others'),
  );
});

test('the server knows no model family', () => {
  const families = [
    word('lla', 'ma'),
    word('qw', 'en'),
    word('mis', 'tral'),
    word('gem', 'ma'),
    word('mini', 'lm'),
    word('whis', 'per'),
    word('be', 'rt'),
    word('gp', 't'),
    word('flu', 'x'),
    word('deep', 'seek'),
    word('koko', 'ro'),
  ];
  const pattern = new RegExp(`\\b(${families.join('|')})(?=[\\d\\W_]|$)`, 'gi');
  const served = shipped.filter(({ path }) => /^(runtime|http)\//.test(path));
  report(breachesOf(served, pattern, 'a model family has no name here'));
});

test('nothing names a machine, a registry or a workplace', () => {
  const homes = [word('/ho', 'me/'), word('/wo', 'rk/'), word('/Us', 'ers/'), word('/ro', 'ot/')];
  const pattern = new RegExp(`(?<![\\w.~-])(${homes.join('|')})[a-z]`, 'g');
  report(breachesOf(textFiles, pattern, 'a path of one machine'));
  const hosts = new RegExp(word('registry', '\\.', 'npm') + '|' + word('arti', 'factory'), 'g');
  report(breachesOf(textFiles, hosts, 'a registry host'));
});

test('the lock file names no host', () => {
  const lock = read('package-lock.json');
  report(
    breachesOf(
      [lock],
      /"resolved":\s*"https?:[^"]*"/g,
      'omit-lockfile-registry-resolved is in .npmrc',
    ),
  );
});

test('dependencies are pinned', () => {
  const text = read('package.json').text;
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text) as Record<
    string,
    Record<string, string>
  >;
  report(
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
      .map(([name, version]) => `package.json: ${name} is "${version}", pin an exact version`),
  );
});

test('models hold data, no TypeScript', () => {
  report(
    paths
      .filter((path) => path.startsWith('models/') && /\.[cm]?[jt]s$/.test(path))
      .map((path) => `${path}: models are .loom, .json, tokenizers, weights and README`),
  );
});

test.run();
