// Which questions are asked, given the answers so far. What is hidden does not count and is not sent.
import { answered, holds, numbersOf } from "../conditions.js";
import { _ } from "../language.js";
import { kindOf } from "../kinds/registry.js";

/** @typedef {{step: any, questions: any[]}} AskedStep */

/**
 * Walk through a protocol as the server does: a question's condition sees only answers of questions that are asked.
 * @param {any} protocol
 * @param {Record<string, any>} answers
 * @returns {{steps: AskedStep[], answers: Record<string, any>}} what is asked, and the answers to send
 */
export function asked(protocol, answers) {
  const numbers = numbersOf(protocol.steps.flatMap((step) => step.questions));
  const kept = {};
  const steps = [];
  for (const step of protocol.steps) {
    if (!holds(step.when, kept, numbers)) continue;
    const questions = step.questions.filter((question) => {
      if (!holds(question.when, kept, numbers)) return false;
      const kind = kindOf(question.kind);
      const value = answers[question.id] ?? kind.blank?.(question);
      if (answered(value) || Array.isArray(value)) kept[question.id] = kind.tidy?.(question, value) ?? value;
      const beside = kind.saidBeside?.(question);
      if (beside && answers[beside]?.length) kept[beside] = answers[beside];
      return true;
    });
    if (questions.length) steps.push({ step, questions });
  }
  return { steps, answers: kept };
}

/**
 * What is missing or wrong, question by question, in the words shown beside it.
 * @param {any[]} questions
 * @param {Record<string, any>} answers as they would be sent
 * @param {(question: any) => import("../kinds/registry.js").Host} hostOf
 * @returns {Array<{where: string, part?: string, what: string}>}
 */
export function problemsIn(questions, answers, hostOf) {
  return questions.flatMap((question) => {
    const value = answers[question.id];
    if (value === undefined)
      return question.required ? [{ where: question.id, what: _("Please answer this question.") }] : [];
    return kindOf(question.kind)
      .check(question, value, hostOf(question), answers)
      .map((problem) => ({ where: question.id, ...problem }));
  });
}
