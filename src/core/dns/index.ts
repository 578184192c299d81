// The door of the DNS proxy's model.
export { type Answering, answer, type Decision, serverFailure, shuffle } from './answer.ts';
export { cutReply, isAnswerTo } from './foreign.ts';
export type { Query } from './layout.ts';
export { nameTableJson, readNameTable } from './name-table.ts';
export { type Received, readQuery } from './query.ts';
export { parseResolvConf, type ResolvConf } from './resolv-conf.ts';
export { type LookupTable, lookupTable, type NamedHost, type NameTable, type Place, placeOf } from './table.ts';
