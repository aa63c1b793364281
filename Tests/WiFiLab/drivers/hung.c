// SPDX-License-Identifier: MIT
/*
 * A Wi-Fi station on the guest's PCI card, with a simulated firmware that hangs when it is told to. It finds one open
 * network, whose access point exists only in this driver, and it carries no packets. A firmware that hangs refuses all
 * scans and connections until the driver is bound to the device again, as after a reset.
 *
 *   /sys/module/hung/parameters/scan_errno  the error of scans that fail, such as 52 (EBADE); 0 if they work
 *   /sys/module/hung/parameters/refusals    how many more scans fail with this error; negative for all
 *   /sys/module/hung/parameters/scan_ms     how long a scan takes, in milliseconds
 *   /sys/module/hung/parameters/in_range    whether the access point is in range; 0 also ends the association
 *   /sys/module/hung/parameters/crashes     how often the driver has recorded a crash of the device; writing
 *                                           anything makes it record one more
 *   /sys/module/hung/parameters/restart_fails
 *                                           whether the driver cannot restart the device after a crash: the kernel
 *                                           then sets the link down, as it does for mac80211, and it cannot be set up
 *                                           until the driver is bound to the device again
 *   /sys/module/hung/parameters/closes      how often the kernel has set the link down without a record of a crash, as it
 *                                           does if a driver cannot resume its device; writing anything makes it do so
 *                                           once more; then the link cannot be set up either, as above
 *   /sys/module/hung/parameters/last_stops  how many more times the link can be set down so that it cannot be set up
 *                                           until the driver is bound to the device again
 *   /sys/module/hung/parameters/open_errno  the error with which it then cannot be set up, such as 5 (EIO)
 *   /sys/module/hung/parameters/probe_fails whether the driver cannot be bound to the device any more (EIO)
 *   /sys/module/hung/parameters/losses      how often the driver has given up its interface and its radio, and stayed
 *                                           bound to the device; writing anything makes it do so once more
 *   /sys/module/hung/parameters/leaves      how often the driver itself has left the network and asked for a new
 *                                           connection, as a driver does after its firmware has crashed; writing
 *                                           anything makes it do so once more
 *   /sys/module/hung/parameters/answer_ms   how long each answer about the association takes, in milliseconds
 *   /sys/module/hung/parameters/marks_peer  whether the access point is marked as a TDLS peer, as brcmfmac does
 */
#include <linux/delay.h>
#include <linux/devcoredump.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>
#include <linux/version.h>
#include <linux/vmalloc.h>
#include <net/cfg80211.h>

static unsigned int scan_errno;
module_param(scan_errno, uint, 0644);
static int refusals;
module_param(refusals, int, 0644);
static unsigned int scan_ms = 50;
module_param(scan_ms, uint, 0644);
static bool in_range = true;
static unsigned int crashes;
static unsigned int losses;
static unsigned int leaves;
static unsigned int closes;
static unsigned int answer_ms;
module_param(answer_ms, uint, 0644);
static bool marks_peer;
module_param(marks_peer, bool, 0644);
static bool probe_fails;
module_param(probe_fails, bool, 0644);
static unsigned int open_errno = EIO;
module_param(open_errno, uint, 0644);
static bool restart_fails;
module_param(restart_fails, bool, 0644);
static unsigned int last_stops;
module_param(last_stops, uint, 0644);

struct hung {
	struct wireless_dev wdev;
	struct net_device *netdev;
	struct delayed_work scan_end;
	struct delayed_work connect_end;
	struct work_struct lose;
	struct work_struct leave;
	struct work_struct shut_down;
	struct work_struct give_up;
	struct cfg80211_scan_request *request;
	bool is_connected;
	bool is_dead;
	bool has_interface;
	bool has_radio;
};

/* There is one card. */
static struct hung *card;

static const u8 bssid[ETH_ALEN] = { 0x02, 0, 0, 0, 0x48, 0 };
/* The SSID "hung", and the rates 1, 2, 5.5 and 11 Mbit/s, which the kernel requires of a radio. */
static const u8 elements[] = { 0, 4, 'h', 'u', 'n', 'g', 1, 4, 0x82, 0x84, 0x8b, 0x96 };

static struct ieee80211_channel channels[] = { {
	.band = NL80211_BAND_2GHZ, .center_freq = 2412, .hw_value = 1, .max_power = 20,
} };
static struct ieee80211_rate rates[] = { { .bitrate = 10 }, { .bitrate = 20 }, { .bitrate = 55 }, { .bitrate = 110 } };
static struct ieee80211_supported_band band = {
	.channels = channels, .n_channels = ARRAY_SIZE(channels),
	.bitrates = rates, .n_bitrates = ARRAY_SIZE(rates), .band = NL80211_BAND_2GHZ,
};

static int set_in_range(const char *text, const struct kernel_param *parameter)
{
	int result = param_set_bool(text, parameter);

	if (!result && card && !in_range)
		schedule_work(&card->lose);
	return result;
}

static const struct kernel_param_ops in_range_operations = { .set = set_in_range, .get = param_get_bool };
module_param_cb(in_range, &in_range_operations, &in_range, 0644);

/* Records a crash, as a driver does after it has saved the memory of its firmware. */
static int crash(const char *text, const struct kernel_param *parameter)
{
	static const char memory[] = "the memory of the firmware";
	void *copy;

	if (!card)
		return -ENODEV;
	copy = vzalloc(sizeof(memory));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, memory, sizeof(memory));
	/* This frees the copy. */
	dev_coredumpv(card->wdev.wiphy->dev.parent, copy, sizeof(memory), GFP_KERNEL);
	crashes++;
	if (restart_fails)
		schedule_work(&card->shut_down);
	return 0;
}

static const struct kernel_param_ops crash_operations = { .set = crash, .get = param_get_uint };
module_param_cb(crashes, &crash_operations, &crashes, 0644);

/* A parameter that counts how often something was done; writing anything does it once more. */
#define COUNTED_WORK(count, work)							\
static int do_##count(const char *text, const struct kernel_param *parameter)		\
{											\
	if (!card)									\
		return -ENODEV;								\
	count++;									\
	schedule_work(&card->work);							\
	return 0;									\
}											\
											\
static const struct kernel_param_ops count##_operations = {				\
	.set = do_##count, .get = param_get_uint,					\
};											\
module_param_cb(count, &count##_operations, &count, 0644)

/* A driver may give up its interface in this way if its device does not answer any more. */
COUNTED_WORK(losses, give_up);
COUNTED_WORK(leaves, leave);
COUNTED_WORK(closes, shut_down);

/* The lock with which mac80211 reports the frames that it has sent. */
static void report_sent(struct net_device *netdev, const void *frame, size_t length)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	wiphy_lock(netdev->ieee80211_ptr->wiphy);
	cfg80211_tx_mlme_mgmt(netdev, frame, length, true);
	wiphy_unlock(netdev->ieee80211_ptr->wiphy);
#else
	mutex_lock(&netdev->ieee80211_ptr->mtx);
	cfg80211_tx_mlme_mgmt(netdev, frame, length, true);
	mutex_unlock(&netdev->ieee80211_ptr->mtx);
#endif
}

/* What ieee80211_disconnect() of mac80211 does, which drivers call after they have restarted their firmware. */
static void leave(struct work_struct *work)
{
	struct hung *hung = container_of(work, struct hung, leave);
	struct ieee80211_mgmt frame = {
		.frame_control = cpu_to_le16(IEEE80211_FTYPE_MGMT | IEEE80211_STYPE_DEAUTH),
		.u.deauth.reason_code = cpu_to_le16(WLAN_REASON_DEAUTH_LEAVING),
	};

	if (!hung->is_connected)
		return;
	hung->is_connected = false;
	netif_carrier_off(hung->netdev);
	ether_addr_copy(frame.da, bssid);
	ether_addr_copy(frame.sa, hung->netdev->dev_addr);
	ether_addr_copy(frame.bssid, bssid);
	report_sent(hung->netdev, &frame, offsetofend(struct ieee80211_mgmt, u.deauth));
}

static void lose(struct work_struct *work)
{
	struct hung *hung = container_of(work, struct hung, lose);

	if (!hung->is_connected)
		return;
	hung->is_connected = false;
	netif_carrier_off(hung->netdev);
	cfg80211_disconnected(hung->netdev, WLAN_REASON_DISASSOC_DUE_TO_INACTIVITY, NULL, 0, false, GFP_KERNEL);
}

/* What ieee80211_restart_work() of mac80211 does if the driver cannot start the device. */
static void shut_down(struct work_struct *work)
{
	struct hung *hung = container_of(work, struct hung, shut_down);

	hung->is_dead = true;
	rtnl_lock();
	cfg80211_shutdown_all_interfaces(hung->wdev.wiphy);
	rtnl_unlock();
}

static void unregister_all(struct hung *hung)
{
	if (hung->has_interface)
		unregister_netdev(hung->netdev);
	if (hung->has_radio)
		wiphy_unregister(hung->wdev.wiphy);
	hung->has_interface = false;
	hung->has_radio = false;
}

static void give_up(struct work_struct *work)
{
	unregister_all(container_of(work, struct hung, give_up));
}

static struct hung *of_wiphy(struct wiphy *wiphy)
{
	return *(struct hung **)wiphy_priv(wiphy);
}

static void end_scan(struct hung *hung, bool aborted)
{
	struct cfg80211_scan_info info = { .aborted = aborted };
	struct cfg80211_scan_request *request = xchg(&hung->request, NULL);

	if (request)
		cfg80211_scan_done(request, &info);
}

static void hear(struct hung *hung)
{
	struct cfg80211_bss *bss = cfg80211_inform_bss(hung->wdev.wiphy, &channels[0], CFG80211_BSS_FTYPE_PRESP, bssid,
						       0, WLAN_CAPABILITY_ESS, 100, elements, sizeof(elements), -5000,
						       GFP_KERNEL);

	cfg80211_put_bss(hung->wdev.wiphy, bss);
}

static void scan_end(struct work_struct *work)
{
	struct hung *hung = container_of(work, struct hung, scan_end.work);

	if (in_range)
		hear(hung);
	end_scan(hung, false);
}

static int hung_scan(struct wiphy *wiphy, struct cfg80211_scan_request *request)
{
	struct hung *hung = of_wiphy(wiphy);

	if (scan_errno && refusals) {
		if (refusals > 0)
			refusals--;
		return -(int)scan_errno;
	}
	if (hung->request)
		return -EBUSY;
	hung->request = request;
	schedule_delayed_work(&hung->scan_end, msecs_to_jiffies(scan_ms));
	return 0;
}

static void connect_end(struct work_struct *work)
{
	struct hung *hung = container_of(work, struct hung, connect_end.work);

	hung->is_connected = in_range;
	if (in_range) {
		hear(hung);
		netif_carrier_on(hung->netdev);
	}
	cfg80211_connect_result(hung->netdev, bssid, NULL, 0, NULL, 0,
				in_range ? WLAN_STATUS_SUCCESS : WLAN_STATUS_UNSPECIFIED_FAILURE, GFP_KERNEL);
}

static int hung_connect(struct wiphy *wiphy, struct net_device *netdev, struct cfg80211_connect_params *parameters)
{
	if (scan_errno && refusals < 0)
		return -(int)scan_errno;
	schedule_delayed_work(&of_wiphy(wiphy)->connect_end, msecs_to_jiffies(50));
	return 0;
}

static int hung_disconnect(struct wiphy *wiphy, struct net_device *netdev, u16 reason)
{
	struct hung *hung = of_wiphy(wiphy);

	cancel_delayed_work(&hung->connect_end);
	hung->is_connected = false;
	netif_carrier_off(netdev);
	cfg80211_disconnected(netdev, reason, NULL, 0, true, GFP_KERNEL);
	return 0;
}

#ifdef STATIONS_OF_WIRELESS_DEVICE
#define STATION_OWNER wireless_dev
#else
#define STATION_OWNER net_device
#endif

static int get_station(struct wiphy *wiphy, struct STATION_OWNER *unused, const u8 *mac, struct station_info *info)
{
	msleep(answer_ms);
	if (!of_wiphy(wiphy)->is_connected || !ether_addr_equal(mac, bssid))
		return -ENOENT;
	info->filled = BIT_ULL(NL80211_STA_INFO_SIGNAL);
	info->signal = -50;
	if (marks_peer) {
		info->filled |= BIT_ULL(NL80211_STA_INFO_STA_FLAGS);
		info->sta_flags.mask = BIT(NL80211_STA_FLAG_ASSOCIATED) | BIT(NL80211_STA_FLAG_TDLS_PEER);
		info->sta_flags.set = info->sta_flags.mask;
	}
	return 0;
}

static int dump_station(struct wiphy *wiphy, struct STATION_OWNER *owner, int index, u8 *mac, struct station_info *info)
{
	if (index)
		return -ENOENT;
	ether_addr_copy(mac, bssid);
	return get_station(wiphy, owner, bssid, info);
}

static int get_channel(struct wiphy *wiphy, struct wireless_dev *wdev, unsigned int link,
		       struct cfg80211_chan_def *definition)
{
	msleep(answer_ms);
	if (!of_wiphy(wiphy)->is_connected)
		return -ENODATA;
	cfg80211_chandef_create(definition, &channels[0], NL80211_CHAN_NO_HT);
	return 0;
}

/* What `iw dev NAME del` calls. The radio stays. */
static int remove_interface(struct wiphy *wiphy, struct wireless_dev *wdev)
{
	of_wiphy(wiphy)->has_interface = false;
	cfg80211_unregister_netdevice(wdev->netdev);
	return 0;
}

static const struct cfg80211_ops wiphy_operations = {
	.scan = hung_scan, .connect = hung_connect, .disconnect = hung_disconnect, .get_station = get_station,
	.dump_station = dump_station, .get_channel = get_channel, .del_virtual_intf = remove_interface,
};

static int hung_open(struct net_device *netdev)
{
	return container_of(netdev->ieee80211_ptr, struct hung, wdev)->is_dead ? -(int)open_errno : 0;
}

static int hung_stop(struct net_device *netdev)
{
	struct hung *hung = container_of(netdev->ieee80211_ptr, struct hung, wdev);

	cancel_delayed_work_sync(&hung->scan_end);
	cancel_delayed_work_sync(&hung->connect_end);
	end_scan(hung, true);
	hung->is_connected = false;
	netif_carrier_off(netdev);
	if (last_stops) {
		last_stops--;
		hung->is_dead = true;
	}
	return 0;
}

static netdev_tx_t hung_transmit(struct sk_buff *skb, struct net_device *netdev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops operations = {
	.ndo_open = hung_open, .ndo_stop = hung_stop, .ndo_start_xmit = hung_transmit,
};

static int hung_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct hung *hung = kzalloc(sizeof(*hung), GFP_KERNEL);
	struct wiphy *wiphy = wiphy_new(&wiphy_operations, sizeof(struct hung *));
	struct net_device *netdev = alloc_netdev(0, "hung%d", NET_NAME_ENUM, ether_setup);
	int result = -ENOMEM;

	if (!hung || !wiphy || !netdev)
		goto free;
	result = -EIO;
	if (probe_fails)
		goto free;
	/* The firmware starts anew. */
	scan_errno = 0;
	*(struct hung **)wiphy_priv(wiphy) = hung;
	INIT_DELAYED_WORK(&hung->scan_end, scan_end);
	INIT_DELAYED_WORK(&hung->connect_end, connect_end);
	INIT_WORK(&hung->lose, lose);
	INIT_WORK(&hung->leave, leave);
	INIT_WORK(&hung->shut_down, shut_down);
	INIT_WORK(&hung->give_up, give_up);
	wiphy->bands[NL80211_BAND_2GHZ] = &band;
	wiphy->interface_modes = BIT(NL80211_IFTYPE_STATION);
	wiphy->max_scan_ssids = 4;
	wiphy->max_scan_ie_len = 256;
	wiphy->signal_type = CFG80211_SIGNAL_TYPE_MBM;
	wiphy->flags |= WIPHY_FLAG_NETNS_OK;
	set_wiphy_dev(wiphy, &pci->dev);
	result = wiphy_register(wiphy);
	if (result)
		goto free;
	hung->has_radio = true;
	hung->netdev = netdev;
	hung->wdev.wiphy = wiphy;
	hung->wdev.iftype = NL80211_IFTYPE_STATION;
	hung->wdev.netdev = netdev;
	netdev->ieee80211_ptr = &hung->wdev;
	netdev->netdev_ops = &operations;
	/* The address of the card stays the same. */
	eth_hw_addr_set(netdev, (const u8[ETH_ALEN]){ 0x02, 0, 0, 0, 0x48, 1 });
	SET_NETDEV_DEV(netdev, &pci->dev);
	netif_carrier_off(netdev);
	result = register_netdev(netdev);
	if (result)
		goto unregister;
	hung->has_interface = true;
	pci_set_drvdata(pci, hung);
	card = hung;
	return 0;

unregister:
	wiphy_unregister(wiphy);
free:
	if (netdev)
		free_netdev(netdev);
	if (wiphy)
		wiphy_free(wiphy);
	kfree(hung);
	return result;
}

static void hung_remove(struct pci_dev *pci)
{
	struct hung *hung = pci_get_drvdata(pci);
	struct wiphy *wiphy = hung->wdev.wiphy;

	card = NULL;
	cancel_work_sync(&hung->lose);
	cancel_work_sync(&hung->leave);
	cancel_work_sync(&hung->shut_down);
	cancel_work_sync(&hung->give_up);
	unregister_all(hung);
	free_netdev(hung->netdev);
	wiphy_free(wiphy);
	kfree(hung);
}

/* The card that QEMU calls e1000e. */
static const struct pci_device_id devices[] = { { PCI_DEVICE(PCI_VENDOR_ID_INTEL, 0x10d3) }, {} };

static struct pci_driver hung_driver = {
	.name = "hung", .id_table = devices, .probe = hung_probe, .remove = hung_remove,
};
module_pci_driver(hung_driver);
MODULE_DESCRIPTION("Wi-Fi station whose firmware hangs on purpose");
MODULE_LICENSE("Dual MIT/GPL");
