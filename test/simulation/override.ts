/**
 * Puts other functions in the place of some of an object's own. Said so, and not by assignments,
 * because V8 allocates a function that is assigned to a property among its old objects: all that it
 * can reach, a whole server, would outlive its seed until the next full collection.
 */
export function override<Target extends object>(target: Target, parts: Partial<Target>): void {
  Object.assign(target, parts);
}
