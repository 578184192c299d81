// The door of the simulated life of a pod.
export { assumptionsOf } from './behaviour.ts';
export type { Driver } from './clock.ts';
export { createDriver } from './clock.ts';
export type { Happening } from './happening.ts';
export { type Life, livePod } from './life.ts';
export { spanMs } from './scenario/duration.ts';
export type { Scenario } from './scenario/format.ts';
export { scenarioSchema } from './scenario/format.ts';
export { readScenario } from './scenario/read.ts';
export { createdAtMs, policyFor, type Simulation, simulate } from './simulate.ts';
export { chartOf } from './view/chart.ts';
export { lifeData, podAt } from './view/data.ts';
export { columnsOf } from './view/kubectl.ts';
export { svgOf } from './view/svg.ts';
export { timelineHead, timelineOf } from './view/timeline.ts';
