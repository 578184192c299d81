// The door of reflector: the life of a list-and-watch against a Kubernetes API server.
export {
  type Effect,
  type Input,
  type Item,
  initialState,
  type Policy,
  type State,
  transition,
  usualPolicy,
} from './machine.ts';
