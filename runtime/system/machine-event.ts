/** An event of a machine: a message's kind and payload in one object. */
export interface MachineEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
