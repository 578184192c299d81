// The door of the forecast: what a pod's spec says about its start and its end, before anything runs.
export { type Budget, budgetOf } from './budget.ts';
export { budgetFindings } from './findings.ts';
export { type HookTime, type StartStep, startSteps } from './start.ts';
export { endWords, startWords, stopWords } from './words.ts';
