// Package document reads and writes what the roles of a run hand to each other:
// brief, goal, verdict, report and handoff. It is pure: text in, values out.
//
// The text comes from models and from people, so the grammar is strict enough
// that a sentence is never taken for structure:
//
//   - A heading is a line that is entirely a section's name, or a name, a colon
//     and the first words of the body, and it bears a mark: #, bold or the
//     colon. A number before the name is allowed. When a document has not one
//     such line, a number alone is mark enough (never in a verdict).
//   - Nothing inside a list item or a fenced block is a heading. In a list that
//     is running, "3. Boundaries: …" is its third item; so is "1. Goal: …" after
//     another heading, since sections count on and lists begin at 1.
//   - Fenced blocks (``` and ~~~) are no part of any section; one that is never
//     closed drops the rest of the text.
//   - English and Chinese names are equal, English ones in any case.
//   - Of a section that occurs twice the first non-empty one counts. What stands
//     before the first heading is dropped, an unknown heading is body.
//   - Placeholders such as "(empty)" or "(未填)" are empty.
//
// The lists are the same in all documents: an item goes on over lines that are
// indented or follow it directly, and "none" or "(无)" is no item. A check may go
// on with "Run: `command`" (运行：) and may end in "[unverifiable here: reason]"
// ([此环境无法验证：reason]); a check result is "- 2 failed: evidence".
//
// A missing section is told by Missing and never invented. A verdict that does
// not parse is not Clear and never Reached.
//
// Printing is the same for every value with the same content: English headings
// in a fixed order, empty sections left out, and a backslash before each line of
// a body that would otherwise be read as structure. Reading what was printed and
// printing it again gives the same bytes. Time and memory are linear in the
// length of the text.
package document
