// The door of election: the rules of a Lease.
export { type Candidate, holds, type Lease, nextLease, type Seen, type Term, usualTerm } from './lease.ts';
