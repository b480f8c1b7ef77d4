/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Network devices of the host, moved by runtime into the namespace that init is in. */
#include "run/steps.h"

#include <errno.h>
#include <stdlib.h>

bool step_has_net_devices(const struct play *play)
{
	return play->plan->netdevs_len;
}

int step_move_net_devices(struct play *play, struct err *err)
{
	const struct plan *plan = play->plan;
	int ns_fd = ns_open_of(NS_NET, play->init_pid, err);

	if (ns_fd < 0 || netdev_open(ns_fd, &play->netdev_sides, err) < 0)
		return -1;
	play->netdev_moves = calloc(plan->netdevs_len, sizeof(*play->netdev_moves));
	if (!play->netdev_moves)
		return err_errno(err, ENOMEM, "linux.netDevices");
	for (size_t i = 0; i < plan->netdevs_len; i++)
		if (netdev_take(&play->netdev_sides, &plan->netdevs[i], &play->netdev_moves[i],
				err) < 0)
			return -1;
	return 0;
}

void undo_move_net_devices(struct play *play)
{
	for (size_t i = play->plan->netdevs_len; play->netdev_moves && i-- > 0;)
		netdev_return(&play->netdev_sides, &play->netdev_moves[i]);
}

void play_forget_net_devices(struct play *play)
{
	for (size_t i = 0; play->netdev_moves && i < play->plan->netdevs_len; i++)
		netdev_done(&play->netdev_moves[i]);
	free(play->netdev_moves);
	play->netdev_moves = NULL;
	netdev_close(&play->netdev_sides);
}
