// Package guards says yes or no to a tool call, and nothing else: it reads no
// file, starts no process and knows no clock, so the same call always gets the
// same answer.
//
// A Policy is what one role may do. Its walls stand in this order, and the first
// that refuses speaks:
//
//   - bounded: an input too large to be judged in good time is refused unread;
//   - whitelist: a role's tool list is exclusive, for every tool, also for those
//     that start sub-agents and for tools that nobody has heard of. Only agents
//     of a declared kind are started or listened to, and they may do no more than
//     the role;
//   - delegate: a coordinator has no hands. It writes no file, and of Bash it
//     gets glances only;
//   - inside: file tools stay below the given roots, by the text of the path and,
//     where the policy has Places, by where it leads, and stay away from files
//     that hold secrets unless they were opened (Opened).
//
// Beside the walls, Repeats refuses a call that gave the same result again and
// again, from a session's past as digests; Spills and Pointer decide which
// results are too long for a context and what stands in their place.
//
// The zero Policy and the zero Decision deny. A wall that panics denies. Every
// refusal tells the model what to do instead.
//
// A glance is a command that only looks: it changes nothing, sends nothing away,
// ends by itself, and what it says goes stale. Glance parses the command, prints
// the tree, parses what it printed and judges that tree, and the printed text is
// what must be run, in the environment of LookEnv: parser and shell disagree
// about some texts (a comment that ends in a backslash, a carriage return), and
// none of those survives printing. It fails closed by the type of node: what it
// does not know it refuses, so a new version of the grammar makes it stricter.
// Commands and their options are data, in the tables; an option that is not
// listed is refused. So are looks at what may hold secrets, but for files that Read may
// read since the person opened them (Opened), by the policy and not by
// Glance, since they only look.
//
// What a command computes is not known, and stands as a hole in the text of its
// words: $(…) of looks, what a pattern finds, a variable. A hole must not stand
// where a program could take it for an option, unless no option of the program
// does harm. Loops over written-out words are judged once for each word.
//
// A git repository can name programs to run, and which repository git takes
// depends on the directory. In the checkout its configuration is the person's.
// Elsewhere, what only reads objects and refs is given the options that run
// nothing, and what reads files is told to take the checkout's repository, or
// refused: another one's filters cannot be switched off. All of it is in the
// printed text, and is not added twice.
//
// Not decided here: what a command of a worker reads and writes, which is the
// fence's business, secrets included; that a path still leads where it led when
// it was judged, which is for whoever opens it to hold; and what a file's other
// names are when it is read. There are no prompts for a human: a refusal is final.
package guards
