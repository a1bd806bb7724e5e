/** Arbitrary typed programs, for laws that hold for every program. */
export { hostCase, type HostCase } from './host-programs.js';
export { deviceCase, rootContents, withoutPayloads, type DeviceCase } from './device-programs.js';
