// The door of pattern: namespace patterns, many at once, and questions about all names.
export { type Example, type Spend, shortestName } from './language.ts';
export { createMatcher, type Matcher } from './matcher.ts';
export { compilePattern, type Pattern } from './pattern.ts';
