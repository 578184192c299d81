// The library's door: what other programs may import from `fairway`.
export { formatProblem, type Problem, SpecError } from './core/std/errors.ts';
