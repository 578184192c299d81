// The door of rotation: the life of a small certificate authority.
export { type Authority, nextStep, type Policy, type Step, usualPolicy, type Validity } from './plan.ts';
