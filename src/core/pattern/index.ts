// The door of pattern: namespace patterns.
export { compilePattern, type Pattern } from './pattern.ts';
