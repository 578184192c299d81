// Label values that the API server accepts: at most 63 characters, an alphanumeric at both ends.
import { type JsonObject, objectAt } from '../std/json.ts';

const longest = 63;

/** The value cut to a legal one; empty where nothing of it is legal. */
export function legalLabelValue(text: string): string {
  return text
    .slice(0, longest)
    .replace(/[^A-Za-z0-9]+$/, '')
    .replace(/^[^A-Za-z0-9]+/, '');
}

/** Makes the labels that the templates added legal, and leaves out those of which nothing remains. */
export function mendLabels(pod: JsonObject, template: JsonObject): void {
  const labels = objectAt(objectAt(pod, 'metadata'), 'labels');
  const added = objectAt(objectAt(template, 'metadata'), 'labels');
  for (const key of Object.keys(added)) {
    const value = labels[key];
    if (typeof value !== 'string' || value !== added[key] || value === '') continue;
    const legal = legalLabelValue(value);
    if (legal === '') delete labels[key];
    else labels[key] = legal;
  }
  if (labels['service.istio.io/canonical-name'] === '') delete labels['service.istio.io/canonical-name'];
}
