/**
 * The error budget: the part of the counted time that a target allows to be down. Decimals of the target are counted
 * as whole millionths, so 99.9 % of 30 days is 2592 seconds, not a fraction less.
 * @param counted seconds
 * @param target percent
 * @returns seconds
 */
export function errorBudget(counted: number, target: number): number {
  return (counted * Math.round((100 - target) * 1e6)) / 1e8;
}
