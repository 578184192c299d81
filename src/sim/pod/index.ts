// The door of the simulated life of a pod.
export { assumptionsOf } from './behaviour.ts';
export { createDriver } from './clock.ts';
export { drill } from './drill.ts';
export type { Happening } from './happening.ts';
export { hookTimeOf } from './known.ts';
export { type Life, livePod } from './life.ts';
export { spanMs } from './scenario/duration.ts';
export { type Scenario, scenarioJsonSchema } from './scenario/format.ts';
export { readScenario } from './scenario/read.ts';
export { policyFor, type Simulation, simulate } from './simulate.ts';
export { apiObject } from './view/api.ts';
export { chartOf } from './view/chart.ts';
export { lifeData, podAt } from './view/data.ts';
export { drillFindings, drillWords } from './view/drill.ts';
export { columnsOf } from './view/kubectl.ts';
export { svgOf } from './view/svg.ts';
export { timelineHead, timelineOf } from './view/timeline.ts';
