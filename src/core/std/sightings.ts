// Whether a text was met before, told by a few bytes for each: what memories ask before they hold anything. What comes once and is held
// costs the collector of garbage more than it ever saves. The answer may be wrong both ways, rarely: two texts may have one hash, and a
// newer text may have taken the place of an older one; so it decides about memory, never about what is true.

/** Tells whether a part of a text (all of it, unless told) was given before, and takes note of it. */
export type Sightings = (text: string, from?: number, to?: number) => boolean;

/** @param places how many texts are known at a time, a power of two */
export function sightings(places: number): Sightings {
  const marks = new Int32Array(places);
  return (text, from = 0, to = text.length) => {
    const hash = hashOf(text, from, to);
    const place = (hash ^ (hash >>> 16)) & (places - 1);
    if (marks[place] === hash) return true;
    marks[place] = hash;
    return false;
  };
}

function hashOf(text: string, from: number, to: number): number {
  let hash = 1;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}
