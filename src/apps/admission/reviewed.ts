// What a reviewer says of a review: the answer, and what metrics and logs are told of it.
import type { Answer } from '../../core/admission/index.ts';

/** What a reviewer says of one body. */
export type Reviewed =
  | { readonly kind: 'malformed'; readonly message: string }
  | {
      readonly kind: 'answered';
      readonly answer: Answer;
      readonly verdict: string;
      readonly because: string;
      readonly dryRun: boolean;
      /** Done after the answer is sent. */
      readonly afterwards?: () => void;
    };
