import { useQuery } from '@tanstack/react-query';
import { call } from './client';

export interface Variable {
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
  readonly has_value?: boolean;
}

/** The variables of the user, without their values. */
export const useVariables = () =>
  useQuery({
    queryKey: ['variables'],
    queryFn: ({ signal }) => call<Variable[]>('/api/v1/variables/', { signal }),
  });
