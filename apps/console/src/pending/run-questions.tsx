import type { Run } from '../api/answers';
import type { OpenRequest } from '../api/pending';
import { Note } from '../ui/parts';
import { Questions } from './questions';

export interface RunQuestionsProps {
  readonly run: Run;
  readonly isOwn: boolean;
  readonly questions: readonly OpenRequest[];
  readonly onVertex: (id: string) => void;
}

/** What a run asks a person; of the run of another user, that it asks. */
export function RunQuestions({ run, isOwn, questions, onVertex }: RunQuestionsProps) {
  if (isOwn) return <Questions of={questions} title={() => 'Waits for a person'} onVertex={onVertex} />;
  if (run.status !== 'suspended') return null;
  return (
    <Note tone="warn" title="Waits for a person">
      <p>Its owner answers what it asks, or the users that its flow names.</p>
    </Note>
  );
}
