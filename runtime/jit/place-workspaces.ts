/**
 * Places workspaces in one allocation. A workspace is live from the first step that touches it to
 * the last; two that are never live together may share bytes. First fit in order of first use, at
 * multiples of 256 bytes. Those of lifetime `invocation` come first and share with nobody, since
 * parts of a program may be run again.
 */

export const WORKSPACE_ALIGNMENT = 256;

export interface WorkspaceLife {
  readonly bytes: number;
  readonly lifetime: 'command' | 'invocation';
  /** Step indices, inclusive; null when nothing touches it. */
  readonly live: { readonly first: number; readonly last: number } | null;
}

export interface Placement {
  readonly offsets: readonly number[];
  /** Bytes of the workspaces that survive parts, at the start of the allocation. */
  readonly invocationBytes: number;
  readonly peakBytes: number;
}

interface Placed {
  readonly start: number;
  readonly end: number;
  readonly last: number;
}

const align = (bytes: number) => Math.ceil(bytes / WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT;

export function placeWorkspaces(workspaces: readonly WorkspaceLife[]): Placement {
  const offsets = workspaces.map(() => 0);
  let invocationBytes = 0;
  workspaces.forEach((workspace, index) => {
    if (workspace.lifetime !== 'invocation') return;
    offsets[index] = invocationBytes;
    invocationBytes += align(workspace.bytes);
  });
  let peakBytes = invocationBytes;
  const order = workspaces
    .map((workspace, index) => ({ workspace, index }))
    .filter(({ workspace }) => workspace.lifetime === 'command' && workspace.live !== null)
    .sort((a, b) => a.workspace.live!.first - b.workspace.live!.first || a.index - b.index);
  /** Those that may still be live, by where they start. */
  let placed: Placed[] = [];
  for (const { workspace, index } of order) {
    const { first, last } = workspace.live!;
    const size = align(workspace.bytes);
    // Steps only go forward, so what has ended is never met again.
    placed = placed.filter((other) => other.last >= first);
    let start = invocationBytes;
    let at = 0;
    for (; at < placed.length; at++) {
      if (start + size <= placed[at]!.start) break;
      start = Math.max(start, placed[at]!.end);
    }
    placed.splice(at, 0, { start, end: start + size, last });
    offsets[index] = start;
    peakBytes = Math.max(peakBytes, start + size);
  }
  return { offsets, invocationBytes, peakBytes };
}
