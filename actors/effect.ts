/**
 * Names an effect in a machine: the machine says *that* it happens, the actor that hosts the
 * machine says how. Machines therefore stay pure, printable and explorable.
 */
export const effect = (): void => {};
