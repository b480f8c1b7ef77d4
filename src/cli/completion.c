/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/completion.h"

#include <string.h>

#include "base/str.h"
#include "cli/command.h"

static const char bash_head[] =
	"# bash completion of rung(1), written by `rung debug completion bash`\n\n"
	"_rung()\n{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal command='' options='' valued='' ids='' i\n\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n";

static const char bash_tail[] =
	"\tesac\n"
	"\tcase \" $valued \" in *\" $before \"*) return ;; esac\n"
	"\tif [[ $word == -* ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
	"\telif [[ -z $command ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$word\")\n"
	"\telif [[ -n $ids ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$(rung list --quiet 2>/dev/null)\" -- \"$word\")\n"
	"\tfi\n"
	"}\n"
	"complete -o default -F _rung rung\n";

static bool is_shown(const struct command *command)
{
	return !(command->flags & COMMAND_HIDDEN);
}

/* The names of options, those with a value alone or all; "|" between or a space. */
static void write_names(FILE *out, const struct option_row *rows, bool all, const char *between)
{
	const char *gap = "";

	for (; rows->name; rows++) {
		if (!all && option_is_flag(rows))
			continue;
		(void)fprintf(out, "%s--%s", gap, rows->name);
		gap = between;
		if (rows->letter)
			(void)fprintf(out, "%s-%c", gap, rows->letter);
	}
}

static void write_bash_lists(FILE *out, const struct option_row *rows)
{
	(void)fputs("\t\toptions='", out);
	write_names(out, rows, true, " ");
	(void)fputs("'\n\t\tvalued='", out);
	write_names(out, rows, false, " ");
	(void)fputs("'\n", out);
}

static void write_bash(FILE *out)
{
	const char *gap = "";

	(void)fputs(bash_head, out);
	(void)fputs("\t\t", out);
	write_names(out, global_rows, false, " | ");
	(void)fputs(") ((i++)) ;;\n\t\t-*) ;;\n\t\t*)\n\t\t\tcommand=${COMP_WORDS[i]}\n"
		    "\t\t\tbreak\n\t\t\t;;\n\t\tesac\n\tdone\n\n\tlocal commands='",
		    out);
	for (const struct command *c = commands; c->name; c++)
		if (is_shown(c)) {
			(void)fprintf(out, "%s%s", gap, c->name);
			gap = " ";
		}
	(void)fputs("'\n\tcase $command in\n\t'')\n", out);
	write_bash_lists(out, global_rows);
	(void)fputs("\t\t;;\n", out);
	for (const struct command *c = commands; c->name; c++) {
		if (!is_shown(c))
			continue;
		(void)fprintf(out, "\t%s)\n", c->name);
		write_bash_lists(out, c->rows);
		if (c->flags & COMMAND_TAKES_ID)
			(void)fputs("\t\tids=1\n", out);
		(void)fputs("\t\t;;\n", out);
	}
	(void)fputs(bash_tail, out);
}

/* @text inside of single quotes, with a backslash before what zsh's specs give a meaning. */
static void write_quoted(FILE *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			(void)fputs("'\\''", out);
		else if (strchr(special, *text))
			(void)fprintf(out, "\\%c", *text);
		else
			(void)putc(*text, out);
	}
}

static void write_zsh_option(FILE *out, const char *name, const struct option_row *row)
{
	(void)fprintf(out, " \\\n\t\t\t'*%s%s[", name,
		      option_is_flag(row) ? "" :
		      name[1] == '-'	  ? "=" :
					    "+");
	write_quoted(out, row->help, "[]:\\");
	(void)putc(']', out);
	if (!option_is_flag(row)) {
		(void)putc(':', out);
		write_quoted(out, row->argument, "[]:\\");
		(void)fputs(":_files", out);
	}
	(void)putc('\'', out);
}

static void write_zsh_options(FILE *out, const struct option_row *rows)
{
	for (; rows->name; rows++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "--%s", rows->name);
		write_zsh_option(out, name, rows);
		if (!rows->letter)
			continue;
		(void)snprintf(name, sizeof(name), "-%c", rows->letter);
		write_zsh_option(out, name, rows);
	}
}

static void write_zsh(FILE *out)
{
	(void)fputs("#compdef rung\n# zsh completion of rung(1), written by `rung debug completion "
		    "zsh`\n\n"
		    "_rung_ids()\n{\n\tlocal -a ids\n"
		    "\tids=(${(f)\"$(_call_program ids rung list --quiet 2>/dev/null)\"})\n"
		    "\tcompadd -a ids\n}\n\n"
		    "_rung()\n{\n\tlocal context state state_descr line\n\ttypeset -A opt_args\n"
		    "\tlocal -a commands=(\n",
		    out);
	for (const struct command *c = commands; c->name; c++)
		if (is_shown(c)) {
			(void)fprintf(out, "\t\t'%s:", c->name);
			write_quoted(out, c->help, ":\\");
			(void)fputs("'\n", out);
		}
	(void)fputs("\t)\n\n\t_arguments -C", out);
	write_zsh_options(out, global_rows);
	(void)fputs(" \\\n\t\t\t'1: :{_describe command commands}' \\\n\t\t\t'*:: :->rest'\n"
		    "\t[[ $state == rest ]] || return\n\tcase $words[1] in\n",
		    out);
	for (const struct command *c = commands; c->name; c++) {
		if (!is_shown(c))
			continue;
		(void)fprintf(out, "\t%s)\n\t\t_arguments", c->name);
		write_zsh_options(out, c->rows);
		(void)fprintf(out, " \\\n\t\t\t'1: :%s' '*: :_files'\n\t\t;;\n",
			      c->flags & COMMAND_TAKES_ID ? "_rung_ids" : "_files");
	}
	(void)fputs("\tesac\n}\n\n_rung \"$@\"\n", out);
}

static void write_fish_options(FILE *out, const char *condition, const struct option_row *rows)
{
	for (; rows->name; rows++) {
		(void)fprintf(out, "complete -c rung -n '%s' -l %s", condition, rows->name);
		if (rows->letter)
			(void)fprintf(out, " -s %c", rows->letter);
		(void)fputs(option_is_flag(rows) ? " -d '" : " -r -F -d '", out);
		write_quoted(out, rows->help, "\\");
		(void)fputs("'\n", out);
	}
}

static void write_fish(FILE *out)
{
	(void)fputs("# fish completion of rung(1), written by `rung debug completion fish`\n"
		    "complete -c rung -f\n",
		    out);
	write_fish_options(out, "__fish_use_subcommand", global_rows);
	for (const struct command *c = commands; c->name; c++) {
		char condition[64];

		if (!is_shown(c))
			continue;
		(void)fprintf(out, "complete -c rung -n __fish_use_subcommand -a %s -d '", c->name);
		write_quoted(out, c->help, "\\");
		(void)snprintf(condition, sizeof(condition), "__fish_seen_subcommand_from %s",
			       c->name);
		(void)fputs("'\n", out);
		write_fish_options(out, condition, c->rows);
		if (c->flags & COMMAND_TAKES_ID)
			(void)fprintf(
				out,
				"complete -c rung -n '%s' -a '(rung list --quiet 2>/dev/null)'\n",
				condition);
	}
}

int completion_write(FILE *out, const char *shell, struct err *err)
{
	static const char *const names[] = { "bash", "zsh", "fish", NULL };
	static void (*const writers[])(FILE *) = { write_bash, write_zsh, write_fish };
	int i = str_index(names, shell);

	if (i < 0)
		return err_set(err, "completion: unknown shell \"%s\"; known: bash, zsh, fish",
			       shell);
	writers[i](out);
	return 0;
}
